"""Seats that are not dealt in: when seats sit out, and how long they are kept (RB 8.1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from tables.games.points import cashing_out
from tables.games.stacks import funded_seats
from tables.models.deals import Deal, Move
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.responsible.verdicts import stopped_seats
from tables.seats import walking_out
from tables.settlement import notifications
from tables.state import phases
from tables.state.locks import LockedTable, snapshot_of

# How many deals a seat that sits out is kept (RB 8.1), and how long if no deal is played.
DEALS_KEPT: Final = 3
WAITING_KEPT: Final = timedelta(minutes=3)


def sit_out_the_short(table: LockedTable, now: datetime) -> None:
    """Sit out players whose stack is too small for another deal, until they top up (RB 8.1)."""
    able = funded_seats(table)
    here = [seat for seat in snapshot_of(table).present() if seat.sits_out_since is None]
    _sit_out(table, [seat for seat in here if seat not in able], now)


def sit_out_the_absent(table: LockedTable, deal: Deal, now: datetime) -> None:
    """Sit out players whose deal ended by timeout: an absent player's stack is not played on."""
    dropped = [
        score.seat
        for score in snapshot_of(table).scores
        if score.deal_id == deal.pk and score.how in (Score.How.FIRST_DROP, Score.How.MIDDLE_DROP)
    ]
    here = [seat for seat in dropped if seat.left_at is None and seat.sits_out_since is None]
    if not here:
        return
    moves = deal.moves.filter(seat__in=here).order_by("ply").values_list("seat", "origin")
    last = dict(moves)
    _sit_out(table, [seat for seat in here if last[seat.pk] == Move.Origin.CLOCK], now)


def _sit_out(table: LockedTable, seats: Sequence[Seat], now: datetime) -> None:
    if not seats:
        return
    Seat.objects.filter(table=table, pk__in=[seat.pk for seat in seats]).update(sits_out_since=now)
    for seat in seats:
        seat.sits_out_since = now


def give_up_idle(table: LockedTable, now: datetime) -> None:
    """Free seats that have been kept long enough (RB 8.1)."""
    is_waiting = table.phase == Table.Phase.WAITING
    for seat, since in _sitting_out(table):
        has_waited = is_waiting and since <= now - WAITING_KEPT
        if has_waited or seat.deals_missed >= DEALS_KEPT:
            walking_out.mark_left(table, seat, now)
            cashing_out.pay_out(table, seat)


def _sitting_out(table: LockedTable) -> list[tuple[Seat, datetime]]:
    """Return the seats that sit out, and since when."""
    there = snapshot_of(table).present()
    return [(seat, seat.sits_out_since) for seat in there if seat.sits_out_since is not None]


def give_up_stopped(table: LockedTable, now: datetime) -> None:
    """Free the seats of players who may no longer play; their last deal is settled."""
    for seat in stopped_seats(table):
        walking_out.mark_left(table, seat, now)
        cashing_out.pay_out(table, seat)
        notifications.notify_of_seat_given_up(table, seat, now)


def await_idle(table: LockedTable, now: datetime) -> None:
    """Arm the clock for the seat that has sat out longest, if any."""
    since = min((since for _, since in _sitting_out(table)), default=None)
    phases.disarm(table)
    if since is not None:
        left = since + WAITING_KEPT - now
        phases.arm(table, max(0.0, left.total_seconds()), now)
