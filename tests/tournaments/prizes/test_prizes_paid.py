"""Payout of 53 entries of 49.00 with 10 % rake, as in RB 10.3."""

import pytest
from django.utils import timezone

from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, make_tournament
from tournaments.entries import admission
from tournaments.entries.models import Entry
from tournaments.planning import timing
from tournaments.planning.models import Tournament
from tournaments.prizes import prize_pool
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account
from wallet.ledger.models import Entry as LedgerEntry

pytestmark = pytest.mark.django_db
PRIZES = [701_19, 467_46, 280_48, 216_20, 175_30, 146_08, 122_71, 99_33, 75_96, 52_59]


@pytest.fixture
def tournament():
    """Fifty-three paid entries of a running tournament, drawn against the order of registration."""
    tournament = make_tournament(
        entry_minor=49_00, rake_bps=1_000, entrants_max=60, seats=6, final_seats=6, qualify=2
    )
    for number in range(53, 0, -1):
        entry = Entry.objects.create(
            tournament=tournament, player=make_player(), state=Entry.State.WAITING
        )
        admission.pay(tournament, entry)
        entry.draw_no, entry.state = number, Entry.State.PLAYING
        entry.save(update_fields=["draw_no", "state"])
    tournament.state = Tournament.State.RUNNING
    timing.save(tournament)
    return again(tournament)


def pay(tournament, places):
    """Freeze the pool, place the entries in the order drawn, and pay them."""
    prize_pool.freeze(tournament, timezone.now())
    entries = list(tournament.entries.order_by("draw_no"))
    for entry, place in zip(entries, places, strict=True):
        entry.place, entry.tied = place, places.count(place)
    Entry.objects.bulk_update(entries, ["place", "tied"])
    prize_pool.pay(tournament)
    timing.save(tournament)
    return list(tournament.entries.order_by("draw_no").values_list("prize_minor", flat=True))


def winnings_of(tournament):
    won = LedgerEntry.objects.filter(
        transfer__key=f"finish:{tournament.owner_ref}", account__kind=Account.Kind.WINNINGS
    )
    return sorted(won.values_list("amount_minor", flat=True), reverse=True)


def check_the_books(tournament):
    rake = LedgerEntry.objects.get(
        transfer__key=f"finish:{tournament.owner_ref}", account__kind=Account.Kind.RAKE
    )
    assert rake.amount_minor == 53 * 4_90
    assert Account.objects.get(pk=tournament.escrow_account_id).balance_minor == 0
    assert row_findings() == ()


@pytest.mark.extended
def test_pool_of_53_entrants_pays_ten_places(tournament):
    paid = pay(tournament, list(range(1, 54)))

    assert tournament.prize_minor == 2337_30
    assert paid == PRIZES + [0] * 43
    assert winnings_of(tournament) == PRIZES
    assert list(tournament.prizes.values_list("amount_minor", flat=True)) == PRIZES
    check_the_books(tournament)


@pytest.mark.extended
def test_three_tied_for_second_place_get_321_38_each(tournament):
    paid = pay(tournament, [1, 2, 2, 2, *range(5, 54)])

    assert paid[:5] == [701_19, 321_38, 321_38, 321_38, 175_30]
    assert sum(paid) == 2337_30
    check_the_books(tournament)


def test_indivisible_units_of_a_tie_follow_the_draw(tournament):
    paid = pay(tournament, [1, 2, 3, 3, 3, *range(6, 54)])

    assert sum(PRIZES[2:5]) == 671_98 == 3 * 223_99 + 1
    assert paid[2:5] == [224_00, 223_99, 223_99]
    check_the_books(tournament)


def test_a_frozen_pool_is_not_frozen_again(tournament):
    prize_pool.freeze(tournament, timezone.now())
    first = tournament.frozen_at

    prize_pool.freeze(tournament, timezone.now())

    assert tournament.frozen_at == first
    assert tournament.prizes.count() == 10
