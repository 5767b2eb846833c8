"""Players' actions in a deal: making a move, grouping their own hand, and sending a phrase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from django.db import transaction

import rummy
from core.clock import database_now
from tables.exceptions import (
    BadGroups,
    MoveIdConflict,
    NotInPlay,
    StaleVersion,
    WindowClosed,
    WindowMissing,
)
from tables.manners.blocks import blockers_of
from tables.models.deals import Deal, DealSeat, Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state import clock, moves
from tables.state.fold import Fold, fold_of, fold_of_latest
from tables.state.locks import SeatRef, lock_table_for, snapshot_of
from tables.state.publishing import announce, broadcast_phrase
from tables.state.rules import family_of
from tables.state.snapshot import TableSnapshot
from tables.view.phrases import Phrase

GROUPS_TEXT_MAX: Final = 200
# Codes for a text that is not a move, or for a move that this deal does not take now.
NO_MOVES: Final = frozenset({"bad_move", "unknown_move"})


@dataclass(frozen=True, slots=True)
class Accepted:
    """A move that is saved, now or when this id was first sent."""

    move: Move
    is_repeat: bool
    # The locked table just before the move; None for a repeated request.
    snapshot: TableSnapshot | None = None


@dataclass(frozen=True, slots=True)
class _Command:
    seat: SeatRef
    move_id: UUID
    text: str
    expected_version: int | None
    window_id: UUID | None


class _ClockRanOut(Exception):
    """The table's own time is over: its clock is applied first, in a separate transaction."""

    def __init__(self, table_id: int) -> None:
        super().__init__(table_id)
        self.table_id = table_id


def make_move(
    *,
    seat: SeatRef,
    move_id: UUID,
    text: str,
    expected_version: int | None = None,
    window_id: UUID | None = None,
) -> Accepted:
    """Make one move for a seat; repeating the same id and text returns the move made before.

    A turn's move names the version it was made for; a move in a window names the window's id. An
    overdue clock is applied first, in its own transaction; a refusal changes nothing else. The
    time of a move is the database's, read once the table is locked (RB 5.9). Raise
    `Seat.DoesNotExist` if there is no such seat.
    """
    command = _Command(seat, move_id, text, expected_version, window_id)
    try:
        return _accept(command, waits_for_clock=True)
    except _ClockRanOut as over:
        clock.apply_overdue(table_id=over.table_id)
    # The only clock that may still be over is a turn's own time, when its seat has extra time.
    return _accept(command, waits_for_clock=False)


@transaction.atomic(durable=True)
def _accept(command: _Command, *, waits_for_clock: bool) -> Accepted:
    table, seat_id = lock_table_for(command.seat, command.move_id)
    snapshot = snapshot_of(table)
    now = snapshot.now
    if waits_for_clock and table.due_at is not None and table.due_at <= now:
        raise _ClockRanOut(table.pk)
    if snapshot.earlier_pk is not None:
        return _repeat(Move.objects.get(pk=snapshot.earlier_pk), command.text)

    _refuse_outdated(table, command.expected_version, command.window_id)
    deal, seat, position = _place_in_play(snapshot, seat_id)
    fold = fold_of_latest(deal, snapshot.latest)
    origin = Move.Origin.BOT if seat.player.is_bot else Move.Origin.PLAYER
    with _moves_named(table, fold, position):
        move = rummy.parse_sent(position, command.text)
        _refuse_without_window(table, move, command.window_id)
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
    if rummy.parse_sent(was.position, text) != was:
        raise MoveIdConflict("This move id was used for another move. Use a new id.")
    return Accepted(earlier, is_repeat=True)


def _refuse_outdated(table: Table, expected_version: int | None, window_id: UUID | None) -> None:
    """Turns are checked by the version; answers in a window do not conflict with each other."""
    if window_id is not None:
        if window_id != table.window_id:
            raise WindowClosed("This window has closed.")
    elif expected_version != table.version:
        raise StaleVersion(f"The table has moved on to version {table.version}.")


def _place_in_play(snapshot: TableSnapshot, seat_id: int) -> tuple[Deal, Seat, int]:
    """Return the deal in play, the seat and its position in the deal."""
    deal = snapshot.deal
    if deal is None or snapshot.table.phase not in (Table.Phase.PLAYING, Table.Phase.SHOWING):
        raise NotInPlay("No deal is being played at this table.")
    seat = next((s for s in snapshot.seats if s.pk == seat_id and s.left_at is None), None)
    place = next((p for p in snapshot.places_in(deal) if p.seat_id == seat_id), None)
    if seat is None or place is None:
        raise NotInPlay("You are not in this deal.")
    return deal, seat, place.position


def _refuse_without_window(table: Table, move: rummy.Move, window_id: UUID | None) -> None:
    """Raise `WindowMissing` for an answer to a show that was sent as a turn's move."""
    if isinstance(move, rummy.Meld) and table.window_id is not None and window_id is None:
        raise WindowMissing("Send the window_id of the view with this meld, not expected_version.")


@contextmanager
def _moves_named(table: Table, fold: Fold, position: int) -> Iterator[None]:
    """Add the moves that the seat can send to a refusal of an unknown or untimely move."""
    try:
        yield
    except rummy.RummyError as refused:
        if refused.code not in NO_MOVES:
            raise
        offered = family_of(table.profile).legal_moves(fold.state, position)
        names = ", ".join(dict.fromkeys(move.action for move in offered))
        can_send = f"you can send: {names}" if names else "you have no move now"
        raise type(refused)(refused.code, f"{refused.message}; {can_send}") from refused


def save_groups(*, seat_id: int, groups: str) -> DealSeat:
    """Save the grouping ("5H 6H 7H | KD KS") of the seat's hand; the table's version stays."""
    seat = Seat.objects.select_related("table__profile").get(pk=seat_id)
    mine = (
        DealSeat.objects.select_related("deal")
        .filter(seat=seat, deal__no=seat.table.deal_no)
        .first()
    )
    if mine is None:
        raise NotInPlay("You are not in this deal.")
    text = canonical_groups(groups)
    mine.deal.table = seat.table
    state = fold_of(mine.deal).state
    hand = family_of(seat.table.profile).view(state, mine.position).hand
    if Counter(rummy.parse_cards(text.replace("|", " "))) - Counter(hand):
        raise BadGroups("The groups contain cards that are not in your hand.")
    mine.groups = text
    mine.save(update_fields=["groups"])
    return mine


def canonical_groups(text: str) -> str:
    """Return the grouping in normalized notation, without empty groups.

    >>> canonical_groups("5h 6h 10h | | kd")
    '5H 6H TH | KD'
    """
    if len(text) > GROUPS_TEXT_MAX:
        raise BadGroups("The grouping is too long.")
    try:
        groups = [rummy.format_cards(rummy.parse_cards(group)) for group in text.split("|")]
    except rummy.RummyError as error:
        raise BadGroups(str(error)) from error
    return " | ".join(group for group in groups if group)


def say(seat: Seat, phrase: Phrase) -> None:
    """Save the phrase as the seat's last one, and send it to the table's subscribers.

    Players of the table who have blocked this one do not receive it.
    """
    now = database_now()
    Seat.objects.filter(pk=seat.pk).update(said=phrase, said_at=now)
    table_id, handle = seat.table.public_id, seat.player.handle
    present = seat.table.seats.present().values_list("player_id", flat=True)
    broadcast_phrase(
        table_id,
        {"handle": handle, "phrase": phrase, "at": now.isoformat()},
        muted_for=blockers_of(seat.player_id, present),
    )
