"""Players who have not arrived at a hosted table: their turns are dropped at once (RB 10.4)."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

import rummy
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state import phases
from tables.state.fold import fold_of_latest
from tables.state.locks import LockedTable, lock_table_of_seat, snapshot_of
from tables.state.publishing import publish
from tables.state.rules import family_of


def clock_move(table: Table, state: rummy.AnyDeal, position: int) -> rummy.Move:
    """Return the clock's move for an absent seat: a drop, or a miss where dropping is forbidden."""
    family = family_of(table.profile)
    drop = rummy.Drop(position)
    if drop in family.legal_moves(state, position):
        return drop
    return family.clock_move(state, position, 0)


@transaction.atomic(durable=True)
def come_back(*, seat_id: int) -> Seat:
    """Mark the seat's player as present; if it is their turn, restart it. Idempotent."""
    table = lock_table_of_seat(seat_id)
    snapshot = snapshot_of(table)
    seat = snapshot.seat(seat_id)
    if not seat.is_absent:
        return seat
    seat.is_absent = False
    seat.save(update_fields=["is_absent"])
    if table.phase == Table.Phase.PLAYING:
        _restart_turn(table, seat, snapshot.now)
    table.version += 1
    publish(table)
    return seat


def _restart_turn(table: LockedTable, seat: Seat, now: datetime) -> None:
    """Restart the turn if it is this seat's."""
    snapshot = snapshot_of(table)
    deal = snapshot.deal
    assert deal is not None, "cards are played in a deal"
    state = fold_of_latest(deal, snapshot.latest).state
    on_turn = phases.awaited(table, state)
    if any(p.seat_id == seat.pk and p.position in on_turn for p in snapshot.places_in(deal)):
        phases.begin_turn(table, deal, state, now)
