"""A player's move: late clocks first, then the move itself, each in a transaction of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

import rummy
from tables.exceptions import (
    BadMove,
    MoveIdConflict,
    NotInPlay,
    StaleVersion,
    WindowClosed,
)
from tables.models import DealSeat, Move, Seat, Table
from tables.services import clock, moves
from tables.services.announcing import publish
from tables.state import fold_of

# The clock misses turns and the lobby's door is how one leaves; nobody writes these as moves.
RESERVED: Final = frozenset({"miss", "leave"})


@dataclass(frozen=True, slots=True)
class Accepted:
    """A move that stands, now or since the first time this id was sent."""

    move: Move
    is_repeat: bool


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
    belongs to (ARCHITECTURE 6). A refusal changes nothing but the clock of a turn already over.
    """
    now = timezone.now()
    table_id, due_at = Seat.objects.values_list("table_id", "table__due_at").get(pk=seat_id)
    if due_at is not None and due_at <= now:
        clock.apply_overdue(table_id=table_id, now=now)
    return _accept(
        table_id=table_id,
        seat_id=seat_id,
        move_id=move_id,
        text=text,
        expected_version=expected_version,
        window_id=window_id,
        now=now,
    )


@transaction.atomic(durable=True)
def _accept(
    *,
    table_id: int,
    seat_id: int,
    move_id: UUID,
    text: str,
    expected_version: int | None,
    window_id: UUID | None,
    now: datetime,
) -> Accepted:
    table = Table.objects.locked().get(pk=table_id)
    earlier = Move.objects.filter(seat=seat_id, move_id=move_id).first()
    if earlier is not None:
        return _repeat(earlier, text)

    _refuse_outdated(table, expected_version, window_id)
    place = _place_in_play(table, seat_id)
    deal, position = place.deal, place.position
    move = _read(position, text)
    fold = fold_of(deal)
    origin = Move.Origin.BOT if place.seat.player.is_bot else Move.Origin.PLAYER
    row, _ = moves.append(
        table,
        deal,
        fold,
        seat_id=seat_id,
        move=move,
        origin=origin,
        now=now,
        move_id=move_id,
        extra_ms=clock.extra_ms_used(table, fold.state, position, now),
    )
    publish(table, nudge_bots=origin != Move.Origin.BOT)
    return Accepted(row, is_repeat=False)


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


def _place_in_play(table: Table, seat_id: int) -> DealSeat:
    """Return where the seat sits in the deal that is being played."""
    if table.phase not in (Table.Phase.PLAYING, Table.Phase.SHOWING):
        raise NotInPlay("No cards are being played here.")
    place = (
        DealSeat.objects.select_related("deal", "seat__player")
        .filter(deal__table=table, deal__no=table.deal_no, seat=seat_id, seat__left_at=None)
        .first()
    )
    if place is None:
        raise NotInPlay("This seat is not in the deal.")
    place.deal.table = table
    return place


def _read(position: int, text: str) -> rummy.Move:
    move = rummy.parse_move(f"p{position} {text}")
    if move.action in RESERVED or move.extra_ms:
        raise BadMove(f"{text!r} is not a move a player makes.")
    return move
