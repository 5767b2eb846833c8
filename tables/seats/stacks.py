"""Topping a stack up, sitting out and coming back between deals (RB 8.1)."""

from __future__ import annotations

from django.db import transaction
from moneyed import Money

from core.clock import database_now
from tables.exceptions import NotInPlay
from tables.games import game_of
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat
from tables.state import clock
from tables.state.locks import LockedTable, lock_table_of_seat
from tables.state.publishing import publish


def top_up(*, seat_id: int, no: int, amount: Money) -> Seat:
    """Add to the seat's stack between deals; it is dealt in again from the next deal on.

    `no` numbers the seat's payments, the sit-in being 1; a repeated number is not paid again.
    """
    _catch_up(seat_id)
    return _top_up(seat_id=seat_id, no=no, amount=amount)


def sit_out(*, seat_id: int) -> Seat:
    """Sit out from the next deal on; the seat is kept for three deals."""
    _catch_up(seat_id)
    return _sit_out(seat_id=seat_id)


def come_back(*, seat_id: int) -> Seat:
    """Deal the seat in again from the next deal on; raise `StackTooSmall` if it cannot play."""
    _catch_up(seat_id)
    return _come_back(seat_id=seat_id)


@transaction.atomic(durable=True)
def _top_up(*, seat_id: int, no: int, amount: Money) -> Seat:
    table, seat = _present(seat_id)
    if not game_of(table).top_up(table, seat, no=no, amount=amount):
        return seat
    return _announced(table, seat)


@transaction.atomic(durable=True)
def _sit_out(*, seat_id: int) -> Seat:
    table, seat = _present(seat_id)
    if not game_of(table).sit_out(table, seat, database_now()):
        return seat
    return _announced(table, seat)


@transaction.atomic(durable=True)
def _come_back(*, seat_id: int) -> Seat:
    table, seat = _present(seat_id)
    if not game_of(table).come_back(table, seat):
        return seat
    return _announced(table, seat)


def _catch_up(seat_id: int) -> None:
    table_id = table_of_seat(seat_id)
    clock.catch_up(table_id=table_id)


def _present(seat_id: int) -> tuple[LockedTable, Seat]:
    table = lock_table_of_seat(seat_id)
    seat = table.seats.prefetch_related("player").get(pk=seat_id)
    if seat.left_at is not None or table.is_over:
        raise NotInPlay("You have no stack at this table.")
    return table, seat


def _announced(table: LockedTable, seat: Seat) -> Seat:
    table.version += 1
    game_of(table).follow(table, database_now())
    publish(table)
    return seat
