"""Players who have not arrived at a hosted table: their turns are dropped at once (RB 10.4)."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

import rummy
from core.clock import database_now
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.state import phases
from tables.state.fold import fold_of
from tables.state.locks import LockedTable, lock_table_of_seat
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
    seat = table.seats.get(pk=seat_id)
    if not seat.is_absent:
        return seat
    now = database_now()
    seat.is_absent = False
    seat.save(update_fields=["is_absent"])
    if table.phase == Table.Phase.PLAYING and _is_on_turn(table, seat):
        _restart_turn(table, now)
    table.version += 1
    publish(table)
    return seat


def _is_on_turn(table: Table, seat: Seat) -> bool:
    deal = table.deals.get(no=table.deal_no)
    place = deal.deal_seats.filter(seat=seat).first()
    return place is not None and place.position in phases.awaited(table, fold_of(deal).state)


def _restart_turn(table: LockedTable, now: datetime) -> None:
    deal: Deal = table.deals.get(no=table.deal_no)
    phases.begin_turn(table, deal, fold_of(deal).state, now)
