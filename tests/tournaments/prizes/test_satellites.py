"""Tickets of satellites: prizes, use and payout (RB 10.5)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core.audit_log import facts, record_saved
from core.exceptions import CheckerIsMaker
from players.notifications.models import Notification
from tables.exceptions import FactsChanged
from tables.integrity.collusion import decisions
from tables.integrity.collusion.models import VoidedPrize
from tests.builders.processes.threads import at_once
from tests.builders.processes.waiting import sessions_that_wait, until
from tests.builders.tables.findings import make_cash_player, make_finding
from tests.builders.tables.making import make_player
from tests.builders.tournaments.outcomes import check_the_end
from tests.builders.tournaments.played_contests import (
    close_late_entry,
    satellite_tied_for_a_ticket,
    tied_satellite,
)
from tests.builders.tournaments.tickets import a_ticket, open_from, register_with, wait_with
from tests.builders.tournaments.tournaments import (
    enter,
    make_template,
    make_tournament,
    play_round,
    play_to_the_end,
    play_whole_table,
    start,
)
from tests.builders.wallet.adjustments import make_staff
from tournaments.entries.models import Entry, Ticket
from tournaments.exceptions import TicketNotValid, TicketStillAdmits
from tournaments.lobby import registration
from tournaments.planning import opening
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes import tickets
from tournaments.prizes.contests import contests_of
from tournaments.prizes.models import TicketRefund
from tournaments.rounds import stopping
from wallet.audit.audit import row_findings
from wallet.ledger.models import Account, Transfer
from wallet.ledger.models import Entry as EntryOfLedger
from wallet.stakes.balances import wallet_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lawful")]


def change(template, **fields):
    """Change a template as its admin page does."""
    before = facts(template)
    for name, value in fields.items():
        setattr(template, name, value)
    template.save(update_fields=list(fields))
    record_saved(by=make_player(is_staff=True), row=template, before=before)


def check(ticket, state, balance_minor):
    ticket.refresh_from_db()
    assert ticket.state == state
    assert Account.objects.get(pk=ticket.account_id).balance_minor == balance_minor


def test_a_satellite_pays_tickets_and_the_rest_in_money():
    satellite, _, won = a_ticket()

    assert [ticket.value_minor for ticket in won] == [200_00, 200_00]
    rows = list(satellite.prizes.values_list("place", "amount_minor", "is_ticket"))
    assert rows == [(1, 200_00, True), (2, 200_00, True), (3, 140_00, False)]
    check_the_end(satellite)
    assert {ticket.account.balance_minor for ticket in won} == {200_00}
    notified = Notification.objects.filter(kind__startswith="tournament_")
    assert sorted(notified.values_list("kind", "amount")) == [
        ("tournament_prize", "140 PTS"),
        ("tournament_ticket", "200 PTS"),
        ("tournament_ticket", "200 PTS"),
    ]


def test_player_with_two_winning_entries_gets_one_ticket_and_the_money_of_the_other():
    main = make_template(entry_minor=60_00, rake_bps=0)
    satellite = make_tournament(awards=main, late_minutes=1, reentries_max=1)
    enter(satellite, 7)
    satellite = play_round(start(satellite), play_whole_table)
    out = list(satellite.entries.filter(state="out").order_by("draw_no"))
    for entry in out:
        registration.reenter(tournament_id=satellite.pk, player=entry.player)

    satellite = play_to_the_end(close_late_entry(satellite), play_whole_table)

    # 10 entries of 90 net, as a re-entry was left alone: a ticket each, and 300 more for the first.
    assert satellite.prizes.filter(is_ticket=True).count() == 10
    admitted = satellite.tickets_won.values_list("player", flat=True)
    drawn = satellite.entries.exclude(draw_no=None).values_list("player", flat=True)
    assert (sorted(admitted), len(drawn)) == (sorted(set(drawn)), 10)
    twice = {player for player in drawn if [*drawn].count(player) == 2}
    paid = EntryOfLedger.objects.filter(
        transfer__kind=Transfer.Kind.PRIZE, account__kind="winnings", account__player__in=twice
    )
    assert sum(paid.values_list("amount_minor", flat=True)) >= len(twice) * 60_00
    check_the_end(satellite)


@pytest.mark.parametrize(
    ("satellite", "in_tickets", "in_money"),
    [
        # Of 270 one ticket, and the rest to the second.
        (tied_satellite, [200_00], [35_00, 35_00]),
        (satellite_tied_for_a_ticket, [200_00, 200_00], [35_00, 35_00, 35_00, 35_00]),
    ],
)
def test_tied_players_without_a_ticket_share_the_money_of_their_places(
    satellite, in_tickets, in_money
):
    tournament = satellite()

    check_the_end(tournament)
    by_draw = tournament.entries.order_by("place", "draw_no").values_list("tied", "prize_minor")
    assert [tied for tied, _ in by_draw] == [1] + [len(by_draw) - 1] * (len(by_draw) - 1)
    assert [prize for _, prize in by_draw] == in_tickets + in_money
    holders = tournament.entries.filter(player__tickets__won_in=tournament)
    assert [entry.prize_minor for entry in holders] == in_tickets


@pytest.mark.extended
def test_ticket_has_the_price_at_the_freeze():
    main = make_template(entry_minor=200_00, rake_bps=0)
    satellite = make_tournament(awards=main, seats=2, final_seats=2)
    enter(satellite, 6)
    satellite = play_round(start(satellite))
    assert satellite.frozen_at is not None
    change(main, entry_minor=150_00)

    satellite = play_to_the_end(satellite)

    assert {ticket.value_minor for ticket in satellite.tickets_won.all()} == {200_00}
    check_the_end(satellite)


def test_ticket_pays_an_entry_and_withdrawal_makes_it_usable_again():
    _, main, [ticket, _] = a_ticket()

    tournament, entry = register_with(ticket, main)
    check(ticket, Ticket.State.USED, 0)

    registration.withdraw(entry_id=entry.pk)
    check(ticket, Ticket.State.ISSUED, 200_00)
    registration.register(tournament_id=tournament.pk, player=ticket.player, ticket=ticket)
    stopping.cancel(tournament_id=tournament.pk, by=make_player(is_staff=True), reason="Rain")
    check(ticket, Ticket.State.ISSUED, 200_00)
    assert row_findings() == ()


def test_ticket_is_valid_once_for_its_player_and_tournament():
    _, main, [ticket, other] = a_ticket()
    elsewhere = make_tournament(entry_minor=200_00)

    with pytest.raises(TicketNotValid):
        registration.register(tournament_id=elsewhere.pk, player=ticket.player, ticket=ticket)
    tournament, _ = register_with(ticket, main)
    with pytest.raises(TicketNotValid):
        registration.register(tournament_id=tournament.pk, player=other.player, ticket=ticket)


@pytest.mark.parametrize("entry_minor", [150_00, 300_00])
def test_ticket_of_a_kind_whose_entry_has_changed_is_refused(entry_minor):
    _, main, [ticket, _] = a_ticket()
    change(main, entry_minor=entry_minor)

    with pytest.raises(TicketNotValid):
        register_with(ticket, main)

    check(ticket, Ticket.State.ISSUED, 200_00)


@pytest.mark.django_db(transaction=True)
def test_ticket_used_for_two_tournaments_at_once_admits_to_one():
    _, main, [ticket, _] = a_ticket()
    both = [open_from(main), open_from(main)]

    def register(tournament):
        registration.register(tournament_id=tournament.pk, player=ticket.player, ticket=ticket)

    with ThreadPoolExecutor(1) as beside:
        with transaction.atomic():
            Ticket.objects.select_for_update().get(pk=ticket.pk)
            calls = [partial(register, tournament) for tournament in both]
            answers = beside.submit(at_once, calls)
            until(lambda: sessions_that_wait() == 2)
        refused = [type(answer) for answer in answers.result() if answer is not None]

    assert refused == [TicketNotValid]
    assert Entry.objects.filter(ticket=ticket).count() == 1
    assert row_findings() == ()


def test_ticket_without_a_tournament_is_paid_out_once_by_two_people():
    _, main, [ticket, _] = a_ticket()
    asks, decides = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    change(main, is_offered=False)

    asked = tickets.request_refund(ticket_id=ticket.pk, reason="No more of them", by=asks)
    assert tickets.request_refund(ticket_id=ticket.pk, reason="Again", by=asks) == asked
    with pytest.raises(CheckerIsMaker):
        tickets.approve_refund(refund_id=asked.pk, by=asks)
    assert Account.objects.get(pk=ticket.account_id).balance_minor == 200_00
    for _ in range(2):
        tickets.approve_refund(refund_id=asked.pk, by=decides)

    check(ticket, Ticket.State.REFUNDED, 0)
    winnings = Account.objects.get(player=ticket.player, currency="PTS", kind="winnings")
    assert winnings.balance_minor >= 200_00
    with pytest.raises(TicketNotValid):
        tickets.request_refund(ticket_id=ticket.pk, reason="Once more", by=asks)
    assert row_findings() == ()


@pytest.mark.parametrize("decide", [tickets.approve_refund, tickets.reject_refund])
def test_decided_ticket_refund_cannot_change(owner, decide):
    """Neither the application nor the owner of the schema can change it."""
    _, main, [ticket, _] = a_ticket()
    asks, decides = (make_player(is_staff=True, is_superuser=True) for _ in range(2))
    change(main, is_offered=False)
    asked = tickets.request_refund(ticket_id=ticket.pk, reason="No more of them", by=asks)
    rewritten = {"amount_minor": 1, "reason": "Another"}
    with owner(), pytest.raises(IntegrityError, match="never rewritten"), transaction.atomic():
        TicketRefund.objects.filter(pk=asked.pk).update(**rewritten)

    decide(refund_id=asked.pk, by=decides)

    undecided = {"status": "requested", "checked_by": None, "checked_at": None, "transfer": None}
    for role in (nullcontext, owner):
        with role(), pytest.raises(IntegrityError, match="never rewritten"), transaction.atomic():
            TicketRefund.objects.filter(pk=asked.pk).update(**undecided)
    with (
        owner(),
        pytest.raises(IntegrityError, match="decided once and never rewritten"),
        transaction.atomic(),
    ):
        connection.cursor().execute("DELETE FROM tournaments_ticketrefund")


def test_usable_ticket_is_not_paid_out():
    _, main, [ticket, _] = a_ticket()
    staff = make_player(is_staff=True)
    templates = TournamentTemplate.objects.filter(pk=main.pk)

    with pytest.raises(TicketStillAdmits):
        tickets.request_refund(ticket_id=ticket.pk, reason="Wants money", by=staff)
    templates.update(is_offered=False)
    asked = tickets.request_refund(ticket_id=ticket.pk, reason="No more of them", by=staff)
    now = timezone.now()
    opening.open_tournament(template=main, starts_at=now + timedelta(hours=1), now=now)
    with pytest.raises(TicketStillAdmits):
        tickets.approve_refund(refund_id=asked.pk, by=make_player(is_staff=True))

    check(ticket, Ticket.State.ISSUED, 200_00)


@pytest.mark.extended
@pytest.mark.parametrize("has_waited", [False, True])
def test_cancellation_does_not_reset_a_ticket_used_elsewhere(has_waited):
    _, main, [ticket, _] = a_ticket()
    left, entry = (wait_with if has_waited else register_with)(ticket, main)
    if not has_waited:
        registration.withdraw(entry_id=entry.pk)
    ticket.refresh_from_db()
    register_with(ticket, main)

    stopping.cancel(tournament_id=left.pk, by=make_player(is_staff=True), reason="Test.")

    ticket.refresh_from_db()
    assert ticket.state == Ticket.State.USED


@pytest.mark.extended
def test_waiting_player_pays_with_the_ticket_when_promoted():
    _, main, [ticket, _] = a_ticket()
    full, entry = wait_with(ticket, main)
    assert (entry.state, entry.stake) == ("waiting", None)

    registration.withdraw(entry_id=full.entries.earliest("pk").pk)

    entry.refresh_from_db()
    assert entry.state == Entry.State.REGISTERED
    check(ticket, Ticket.State.USED, 0)


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
