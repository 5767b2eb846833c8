"""A player's move: late clocks first, then the move itself, each in a transaction of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

import rummy
from tables.clock import clock
from tables.dealing import moves
from tables.dealing.state import fold_of_latest
from tables.exceptions import BadMove, MoveIdConflict, NotInPlay, StaleVersion, WindowClosed
from tables.table.announcing import announce
from tables.table.deal_models import Deal, Move
from tables.table.models import Table
from tables.table.snapshot import SeatRow, TableSnapshot, lock_at


@dataclass(frozen=True, slots=True)
class Accepted:
    """A move that stands, now or since the first time this id was sent."""

    move: Move
    is_repeat: bool
    # The table under the lock, just before the move; None for a repetition.
    snapshot: TableSnapshot | None = None


@dataclass(frozen=True, slots=True)
class _Command:
    seat_id: int
    move_id: UUID
    text: str
    expected_version: int | None
    window_id: UUID | None
    now: datetime


class _ClockRanOut(Exception):
    """The table's own time is over: its clock comes first, in a transaction of its own."""

    def __init__(self, table_id: int) -> None:
        super().__init__(table_id)
        self.table_id = table_id


def play(
    *,
    seat_id: int,
    move_id: UUID,
    text: str,
    expected_version: int | None = None,
    window_id: UUID | None = None,
) -> Accepted:
    """Make one move for a seat; the same id and text again finds the move it made before.

    A turn's move says at which version it was thought of, an answer in a window which window it
    belongs to. A refusal changes nothing but the clock of a turn already over.
    """
    command = _Command(seat_id, move_id, text, expected_version, window_id, timezone.now())
    try:
        return _accept(command, waits_for_clock=True)
    except _ClockRanOut as over:
        clock.apply_overdue(table_id=over.table_id, now=command.now)
    # What may still be over by now is a turn's own time, and its seat has extra time.
    return _accept(command, waits_for_clock=False)


@transaction.atomic(durable=True)
def _accept(command: _Command, *, waits_for_clock: bool) -> Accepted:
    seat_id, now = command.seat_id, command.now
    snapshot = lock_at(seat_id, command.move_id)
    table = snapshot.table
    if waits_for_clock and table.due_at is not None and table.due_at <= now:
        raise _ClockRanOut(table.pk)
    if snapshot.earlier_pk is not None:
        return _repeat(Move.objects.get(pk=snapshot.earlier_pk), command.text)

    _refuse_outdated(table, command.expected_version, command.window_id)
    deal, seat, position = _place_in_play(snapshot, seat_id)
    move = _read(position, command.text)
    fold = fold_of_latest(deal, snapshot.latest)
    origin = Move.Origin.BOT if seat.player.is_bot else Move.Origin.PLAYER
    prepared = moves.prepare_move(
        table,
        deal,
        fold,
        seat_id=seat_id,
        move=move,
        origin=origin,
        now=now,
        move_id=command.move_id,
        extra_ms=clock.extra_ms_used(table, fold.state, position, now),
    )
    announce(table, enqueue_bots=origin != Move.Origin.BOT)
    return Accepted(moves.save_move_and_commit(prepared), is_repeat=False, snapshot=snapshot)


def _repeat(earlier: Move, text: str) -> Accepted:
    was = replace(rummy.parse_move(earlier.text), extra_ms=0)
    if _read(was.position, text) != was:
        raise MoveIdConflict("This move id belongs to another move; nothing was played.")
    return Accepted(earlier, is_repeat=True)


def _refuse_outdated(table: Table, expected_version: int | None, window_id: UUID | None) -> None:
    """Turns are guarded by the version; answers in a window do not collide with each other."""
    if window_id is not None:
        if window_id != table.window_id:
            raise WindowClosed("This answer came after its window had closed.")
    elif expected_version != table.version:
        raise StaleVersion(f"The table is at version {table.version} by now.")


def _place_in_play(snapshot: TableSnapshot, seat_id: int) -> tuple[Deal, SeatRow, int]:
    """Return the deal that is being played, the seat and its position in it."""
    deal = snapshot.deal
    if deal is None or snapshot.table.phase not in (Table.Phase.PLAYING, Table.Phase.SHOWING):
        raise NotInPlay("No cards are being played here.")
    seat = next((s for s in snapshot.seats if s.pk == seat_id and s.left_at is None), None)
    place = next((p for p in snapshot.places_in(deal) if p.seat_id == seat_id), None)
    if seat is None or place is None:
        raise NotInPlay("This seat is not in the deal.")
    return deal, seat, place.position


def _read(position: int, text: str) -> rummy.Move:
    move = rummy.parse_move(f"p{position} {text}")
    # The clock misses turns, and one leaves by getting up; nobody sends these as moves.
    if isinstance(move, rummy.Miss | rummy.Leave) or move.extra_ms:
        raise BadMove(f"{text!r} is not a move a player makes.")
    return move
