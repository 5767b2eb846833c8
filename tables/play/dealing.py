"""Committing to a seed, the toss, and dealing (RB 5.1, 5.2, 12.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import rummy
from tables.history.fairness import seeds
from tables.models.deals import Deal, DealSeat
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import drains
from tables.state import phases
from tables.state.fold import fold_of, toss_stream
from tables.state.locks import LockedTable
from tables.state.rules import rules_of


def commit_deal(table: LockedTable) -> Deal:
    """Draw the next deal's seed and publish its commitment. Idempotent."""
    no = table.deal_no + 1
    deals = {deal.no: deal for deal in table.deals.filter(no__in=(table.deal_no, no))}
    if no in deals:
        return deals[no]
    seed = seeds.new_seed(table, no)
    previous = deals[table.deal_no].chain if table.deal_no else ""
    commitment = rummy.commitment(seed)
    deal = Deal.objects.create(
        table=table,
        no=no,
        commitment=commitment,
        chain=rummy.chained(commitment, previous),
    )
    seeds.seal(deal, seed)
    return deal


def start_game(table: LockedTable, now: datetime) -> None:
    """Toss for seat numbers and deal the first deal; the highest card leads (RB 5.1)."""
    seats = list(table.seats.present().order_by("pk"))
    assert len(seats) >= table.seats_min, "the countdown is disarmed when a player leaves"
    table.starters, table.started_at = len(seats), now
    toss_and_deal(table, seats, now)


def toss_and_deal(table: LockedTable, seats: Sequence[Seat], now: datetime) -> None:
    """Toss for seat numbers, in the order in which players sat down, and deal (RB 5.1)."""
    deal = commit_deal(table)
    stream = toss_stream(deal, [seat.pk for seat in seats])
    cards, _ = rummy.toss(stream, len(seats))
    deal.toss = rummy.format_cards(cards)
    in_order = [seats[place] for place in rummy.toss_order(cards)]
    for number, seat in enumerate(in_order, start=1):
        seat.number = number
    # Clear the numbers first: two seats cannot have the same one, even briefly.
    table.seats.present().filter(number__isnull=False).update(number=None)
    Seat.objects.bulk_update(in_order, ["number"])

    _deal(table, deal, in_order, now)
    toss_seconds = phases.toss_seconds(table)
    if toss_seconds:
        table.phase = Table.Phase.TOSS
        phases.arm(table, toss_seconds, now)
    else:
        begin_play(table, deal, now)


def pause(
    table: LockedTable,
    now: datetime,
    deal_next: Callable[[LockedTable, datetime], None] | None = None,
) -> None:
    """Commit to the next deal, and start the pause before it (RB 5.10, 12.1).

    Without a pause the next deal begins at once, as the game deals or to all active seats.
    """
    commit_deal(table)
    gap_seconds = rules_of(table.profile).gap_seconds
    if gap_seconds == 0 and not drains.is_on():
        (deal_next or deal_to_all)(table, now)
        return
    table.phase, table.window_id, table.bot_due_at = Table.Phase.BETWEEN, None, None
    phases.arm(table, gap_seconds, now)


def deal_to_all(table: LockedTable, now: datetime) -> None:
    """Deal to every seat that is still in the game."""
    deal_to(table, list(table.seats.active()), now)


def deal_to(table: LockedTable, seats: Sequence[Seat], now: datetime) -> None:
    """Deal again: the previous leader deals, the next of these seats leads (RB 5.1)."""
    before = DealSeat.objects.filter(deal__table=table, deal__no=table.deal_no, position=1)
    leader = before.values_list("seat__number", flat=True).get()
    assert leader is not None, "seats are numbered before the first deal"
    numbered = {seat.number: seat for seat in seats if seat.number is not None}
    assert len(numbered) == len(seats), "seats are numbered before the first deal"
    order = rummy.turn_order(numbered, led=leader)
    deal = commit_deal(table)
    _deal(table, deal, [numbered[number] for number in order], now)
    begin_play(table, deal, now)


def begin_play(table: LockedTable, deal: Deal, now: datetime) -> None:
    """Give the leader of the deal the first turn."""
    table.version += 1
    phases.begin_turn(table, deal, fold_of(deal).state, now)


def _deal(table: LockedTable, deal: Deal, in_turn_order: Sequence[Seat], now: datetime) -> None:
    deal.status, deal.started_at = Deal.Status.PLAYING, now
    deal.save(update_fields=["status", "started_at", "toss"])
    DealSeat.objects.bulk_create(
        DealSeat(table=table, deal=deal, seat=seat, position=position)
        for position, seat in enumerate(in_turn_order, start=1)
    )
    table.deal_no, table.version = deal.no, table.version + 1
    table.bot_due_at = None
