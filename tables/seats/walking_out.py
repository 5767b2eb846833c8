"""Dropping a seat's cards when its player leaves."""

from __future__ import annotations

from datetime import datetime

import rummy
from tables.models.deals import Move
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import client_seeds
from tables.state import moves, phases
from tables.state.fold import fold_of_latest
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import family_of


def drop_cards(table: LockedTable, seat: Seat, now: datetime) -> None:
    """Drop the seat's cards if it still plays, at the current drop penalty (RB 5.8)."""
    if table.phase not in (Table.Phase.TOSS, Table.Phase.PLAYING, Table.Phase.SHOWING):
        return
    snapshot = snapshot_of(table)
    deal = snapshot.deal
    assert deal is not None, "cards are played in a deal"
    fold = fold_of_latest(deal, snapshot.latest)
    places = {place.seat_id: place.position for place in snapshot.places_in(deal)}
    position = places.get(seat.pk)
    if position is not None and _is_in_play(table, fold.state, position):
        move = family_of(table.profile).leave_move(fold.state, position)
        prepared = moves.prepare_move(
            table, deal, fold, seat_id=seat.pk, move=move, origin=Move.Origin.PLAYER, now=now
        )
        moves.save_move(prepared)


def mark_left(table: LockedTable, seat: Seat, now: datetime) -> None:
    """Mark a seat of the table's snapshot as left; its player may then sit down elsewhere."""
    client_seeds.reopen(table)
    seat.left_at = now
    seat.save(update_fields=["left_at"])
    table.version += 1


def _is_in_play(table: Table, state: rummy.AnyDeal, position: int) -> bool:
    """Return whether the seat still has a turn to play, or groups to send."""
    if table.phase == Table.Phase.SHOWING:
        return position in phases.awaited(table, state)
    seen = family_of(table.profile).public_view(state)
    return bool(seen.seats[position - 1].standing == "active")
