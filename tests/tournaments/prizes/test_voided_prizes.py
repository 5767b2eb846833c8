"""Rulings void a pair's tournament prizes and refund the other entrants once."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction

from tables.exceptions import FactsChanged
from tables.integrity.collusion import decisions
from tables.integrity.collusion.models import VoidedPrize
from tests.builders.processes.threads import at_once
from tests.builders.tables.findings import make_cash_player, make_finding
from tests.builders.tournaments.tournaments import (
    make_template,
    make_tournament,
    play_to_the_end,
    start,
)
from tests.builders.wallet.adjustments import make_staff
from tournaments.entries.models import Entry
from tournaments.lobby import registration
from tournaments.prizes.contests import contests_of
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.stakes.balances import wallet_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]
ENTRANTS = 3
# Unrelated pairs that share a player.
UNLINKED = 10**9


def spendable(player):
    [wallet] = [each for each in wallet_of(player) if each.currency == "INR"]
    return int(wallet.spendable.amount * 100)


def finished(**terms):
    """Return a finished tournament of three, its winner, then its other players."""
    tournament = make_tournament(currency="INR", **terms)
    players = [make_cash_player() for _ in range(ENTRANTS)]
    for player in players:
        registration.register(tournament_id=tournament.pk, player=player)
    tournament = play_to_the_end(start(tournament))
    prizes = dict(Entry.objects.filter(tournament=tournament).values_list("player", "prize_minor"))
    return tournament, sorted(players, key=lambda player: -prizes[player.pk]), prizes


def ask(finding, outcome="uphold"):
    return decisions.ask_decision(
        finding_id=finding.pk, outcome=outcome, reason="Dropped too often", by=make_staff()
    )


def approve(decision):
    return decisions.approve_decision(decision_id=decision.pk, by=make_staff())


def test_voided_prizes_refund_every_other_entrant():
    tournament, (winner, partner, victim), prizes = finished()
    assert prizes[winner.pk] > prizes[victim.pk]
    before = [spendable(player) for player in (winner, partner, victim)]
    lost = 100_00 - prizes[victim.pk]
    finding = make_finding(winner, partner)

    decided = approve(ask(finding))

    after = [spendable(player) for player in (winner, partner, victim)]
    assert after[2] - before[2] == lost
    assert sum(after) == sum(before)
    transfer = decided.restitution.transfer
    assert transfer.kind == "restitution"
    assert Transfer.objects.filter(kind="restitution").count() == 1
    voided = VoidedPrize.objects.get()
    assert (voided.table, voided.deal, voided.game) == (None, None, tournament.owner_ref)
    for game in (tournament.owner_ref, ""):
        with pytest.raises(IntegrityError), transaction.atomic():
            VoidedPrize.objects.create(decision=decided, game=game)
    assert not row_findings()


@pytest.mark.extended
def test_voided_ticket_prize_counts_with_its_value():
    """Three entries of 200 net 180: two tickets of 200, and 140 for the third."""
    main = make_template(entry_minor=200_00, rake_bps=0, currency="INR")
    terms = {"awards": main, "seats": 2, "final_seats": 2, "entry_minor": 200_00}
    satellite, (winner, partner, victim), prizes = finished(**terms)
    assert [prizes[one.pk] for one in (winner, partner, victim)] == [200_00, 200_00, 140_00]
    before = spendable(victim)

    decided = approve(ask(make_finding(winner, partner)))

    assert spendable(victim) - before == 60_00
    lines = dict(decided.restitution.lines.values_list("player", "amount_minor"))
    assert lines == {winner.pk: -30_00, partner.pk: -30_00, victim.pk: 60_00}
    tickets = satellite.tickets_won.all()
    assert {ticket.player_id for ticket in tickets} == {winner.pk, partner.pk}
    assert {ticket.state for ticket in tickets} == {"issued"}
    assert {ticket.account.balance_minor for ticket in tickets} == {200_00}
    assert not row_findings()


def test_prize_is_not_voided_if_the_pair_never_met():
    tournament, (winner, *_others), _prizes = finished()
    ends = tournament.finished_at.replace(year=tournament.finished_at.year + 1)
    begins = tournament.finished_at.replace(year=tournament.finished_at.year - 1)
    stranger = make_cash_player()

    def found(other, **changed):
        asked = {"currency": "INR", "begins": begins, "ends": ends} | changed
        return contests_of((winner.pk, other.pk), **asked)

    assert found(stranger) == []
    assert [one.game for one in found(_others[0])] == [tournament.owner_ref]
    assert found(_others[0], currency="EUR") == []
    assert found(_others[0], begins=ends, ends=ends) == []


@pytest.mark.django_db(transaction=True)
def test_concurrent_rulings_void_a_prize_once():
    _tournament, (winner, partner, victim), _prizes = finished()
    asked = [
        ask(make_finding(winner, partner)),
        ask(make_finding(winner, victim, group_key=UNLINKED)),
    ]

    answers = at_once([partial(approve, one) for one in asked])

    assert [type(answer) for answer in answers].count(FactsChanged) == 1
    assert VoidedPrize.objects.count() == 1
    assert not row_findings()
