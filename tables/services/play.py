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
from tables.models import Deal, Move, Seat, Table
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
    table_id = Seat.objects.values_list("table_id", flat=True).get(pk=seat_id)
    clock.catch_up(table_id=table_id, now=now)
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
    seat = table.seats.select_related("player").get(pk=seat_id)
    earlier = seat.moves.filter(move_id=move_id).first()
    if earlier is not None:
        return _repeat(earlier, text)

    _refuse_outdated(table, expected_version, window_id)
    deal, position = _place_in_play(table, seat)
    move = _read(position, text)
    fold = fold_of(deal)
    origin = Move.Origin.BOT if seat.player.is_bot else Move.Origin.PLAYER
    row, _ = moves.append(
        table,
        deal,
        fold,
        seat_id=seat.pk,
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


def _place_in_play(table: Table, seat: Seat) -> tuple[Deal, int]:
    if table.phase not in (Table.Phase.PLAYING, Table.Phase.SHOWING) or seat.left_at is not None:
        raise NotInPlay("No cards are being played here by this seat.")
    deal = table.deals.get(no=table.deal_no)
    position = deal.deal_seats.filter(seat=seat).values_list("position", flat=True).first()
    if position is None:
        raise NotInPlay("This seat is not in the deal.")
    return deal, position


def _read(position: int, text: str) -> rummy.Move:
    move = rummy.parse_move(f"p{position} {text}")
    if move.action in RESERVED or move.extra_ms:
        raise BadMove(f"{text!r} is not a move a player makes.")
    return move
