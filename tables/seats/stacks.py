"""Topping a stack up, sitting out and coming back between deals (RB 8.1)."""

from __future__ import annotations

from moneyed import Money

from core.clock import database_now
from tables.exceptions import NotInPlay
from tables.games import game_of
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat
from tables.state.clock import caught_up
from tables.state.locks import LockedTable
from tables.state.publishing import publish


def top_up(*, seat_id: int, no: int, amount: Money) -> Seat:
    """Add to the seat's stack between deals; it is dealt in again from the next deal on.

    `no` numbers the seat's payments, the sit-in being 1; a repeated number is not paid again.
    """
    with caught_up(table_of_seat(seat_id)) as table:
        seat = _present(table, seat_id)
        if game_of(table).top_up(table, seat, no=no, amount=amount):
            _announce(table)
        return seat


def sit_out(*, seat_id: int) -> Seat:
    """Sit out from the next deal on; the seat is kept for three deals."""
    with caught_up(table_of_seat(seat_id)) as table:
        seat = _present(table, seat_id)
        if game_of(table).sit_out(table, seat, database_now()):
            _announce(table)
        return seat


def come_back(*, seat_id: int) -> Seat:
    """Deal the seat in again from the next deal on; raise `StackTooSmall` if it cannot play."""
    with caught_up(table_of_seat(seat_id)) as table:
        seat = _present(table, seat_id)
        if game_of(table).come_back(table, seat):
            _announce(table)
        return seat


def _present(table: LockedTable, seat_id: int) -> Seat:
    seat = table.seats.prefetch_related("player").get(pk=seat_id)
    if seat.left_at is not None or table.is_over:
        raise NotInPlay("You have no stack at this table.")
    return seat


def _announce(table: LockedTable) -> None:
    table.version += 1
    game_of(table).follow(table, database_now())
    publish(table)
