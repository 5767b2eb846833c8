"""Freerolls and ticket ladders: from a free entry over tickets to a prize (RB 10.5, 10.12)."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from tables.accounts import closure
from tables.exceptions import GamesLeft
from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end, points_of
from tests.builders.tournaments.tickets import open_from
from tests.builders.tournaments.tournaments import (
    enter,
    make_template,
    make_tournament,
    play_to_the_end,
    start,
)
from tournaments.exceptions import BadTerms
from tournaments.lobby import registration
from tournaments.lobby.detail import ladder_of
from tournaments.planning.opening import check_awards, check_terms
from tournaments.rounds import stopping
from wallet.audit.audit import check_findings, row_findings
from wallet.ledger.models import Account
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db
PAIRS = {"seats": 2, "final_seats": 2}


@pytest.fixture
def final():
    return make_template(name="Final", entry_minor=300_00, **PAIRS)


@pytest.fixture
def semifinal(final):
    return make_template(name="Semifinal", entry_minor=100_00, rake_bps=0, awards=final, **PAIRS)


@pytest.fixture
def freeroll(semifinal):
    """A free tournament whose guarantee pays three tickets to the semifinal."""
    return make_tournament(
        name="Freeroll", entry_minor=0, guarantee_minor=300_00, awards=semifinal, **PAIRS
    )


def guarantees():
    return Account.objects.get(kind=Account.Kind.GUARANTEE, currency="PTS").balance_minor


@pytest.mark.django_db(transaction=True)  # The ledger checks the documents of transfers at commit.
def test_free_entry_leads_over_tickets_to_the_last_step(freeroll, semifinal, final):
    entries = enter(freeroll, 5)
    before = {entry.player: points_of(entry.player) for entry in entries}

    freeroll = play_to_the_end(start(freeroll))

    assert not Stake.objects.filter(escrow=freeroll.escrow_account).exists()
    assert (freeroll.prize_minor, freeroll.overlay_minor, guarantees()) == (
        300_00,
        300_00,
        -300_00,
    )
    won = list(freeroll.tickets_won.order_by("pk"))
    assert [ticket.value_minor for ticket in won] == [100_00] * 3
    second = open_from(semifinal)
    for ticket in won:
        registration.register(tournament_id=second.pk, player=ticket.player, ticket=ticket)
    second = play_to_the_end(start(second))
    [to_final] = second.tickets_won.all()
    assert (to_final.admits_to, to_final.value_minor) == (final, 300_00)
    # Nobody has paid anything, and the site only the guarantee.
    assert {player: points_of(player) for player in before} == before
    assert (check_findings()[0], row_findings()) == ((), ())
    check_the_end(second)
    assert Account.objects.get(pk=freeroll.escrow_account_id).balance_minor == 0


@pytest.mark.django_db(transaction=True)
def test_aborted_freeroll_returns_the_guarantee(freeroll):
    enter(freeroll, 4)
    freeroll = start(freeroll)
    one, other = (make_player(is_staff=True) for _ in range(2))

    act = stopping.ask_to_abort(tournament_id=freeroll.pk, by=one, reason="Broken")
    stopping.agree_to_abort(action_id=act.pk, by=other)
    stopping.carry_out(action_id=act.pk)

    freeroll.refresh_from_db()
    assert (freeroll.state, guarantees()) == ("aborted", 0)
    assert (check_findings()[0], row_findings()) == ((), ())


def test_account_in_a_freeroll_is_closed_after_it(freeroll):
    entry, *_ = enter(freeroll, 4)
    with pytest.raises(GamesLeft):
        closure.close_account(player_id=entry.player_id)

    registration.withdraw(entry_id=entry.pk)

    assert not closure.close_account(player_id=entry.player_id).is_active


def test_page_shows_the_ladder_from_each_step(client, freeroll, semifinal, final):
    second = open_from(semifinal)

    steps = ladder_of(freeroll)

    assert [(step.name, step.is_here, step.tournament) for step in steps] == [
        ("Freeroll", True, None),
        ("Semifinal", False, second.public_id),
        ("Final", False, None),
    ]
    assert [step.name for step in ladder_of(second)] == ["Freeroll", "Semifinal", "Final"]
    page = client.get(reverse("tournament", args=[freeroll.public_id])).text
    assert "Ticket ladder" in page
    assert "Free entry" in page
    assert reverse("tournament", args=[second.public_id]) in page


def test_ladder_has_no_circle_and_no_tickets_to_a_free_tournament(freeroll, semifinal, final):
    with pytest.raises(BadTerms, match="lead back"):
        check_awards(semifinal, currency="PTS", own=final)
    with pytest.raises(BadTerms, match="is free"):
        check_awards(freeroll.template, currency="PTS", own=final)


def test_free_tournament_needs_a_guarantee():
    with pytest.raises(BadTerms, match="Set a guarantee"):
        check_terms(make_template().__class__(**terms_of(make_template()), entry_minor=0))
    with pytest.raises(IntegrityError, match="free_is_guaranteed"), transaction.atomic():
        make_template(entry_minor=0)


def terms_of(template):
    names = ("profile", "seats", "qualify", "final_seats", "entrants_max")
    return {name: getattr(template, name) for name in names}
