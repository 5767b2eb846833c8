"""Sitting down and leaving: both move money, so both are decided under the table's lock."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from django.db import transaction
from moneyed import Money

from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_staff_as_player
from players.accounts.models import User
from players.eligibility.verdicts import require_may
from tables.exceptions import (
    AlreadySeated,
    MaintenanceMode,
    NotAllowed,
    NotInPlay,
    NotInvited,
    TableFull,
    TableNotWaiting,
)
from tables.games import game_of
from tables.models.addresses import table_of_seat
from tables.models.profiles import StakeMode
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play import drains
from tables.responsible.verdicts import require_room
from tables.seats import client_seeds, declared_bots, origins
from tables.seats.origins import Origin
from tables.state import clock
from tables.state.locks import lock_table
from tables.state.publishing import publish
from wallet.ledger.cash_offered import act_of
from wallet.ledger.money import PLAY_POINTS


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a player brings along."""

    stack: Money | None
    code: str
    origin: Origin | None
    client_seed: str


def join(
    *,
    table_id: int,
    player: User,
    stack: Money | None = None,
    code: str = "",
    origin: Origin | None = None,
    client_seed: str = "",
) -> Seat:
    """Seat a player at a table that is open to them; the last seat may start the game at once.

    Where one plays with a `stack`, none named is the smallest one (RB 8.1). A private table wants
    its link's `code`; `origin` is where a person came from. `client_seed` goes into the coming
    deal's shuffle: there may be no other moment for it before the toss (RB 12.1). A refusal, of
    money too, leaves no row behind.
    """
    if client_seed:
        client_seeds.refuse_unreadable(client_seed)
    clock.catch_up(table_id=table_id)
    asked = _Asked(stack, code, origin, client_seed)
    return _sit_down(table_id=table_id, player=player, asked=asked)


def leave(*, seat_id: int) -> Seat:
    """Leave: before the start with the entry back in full, later by RB 5.8 and 7.9."""
    table_id = table_of_seat(seat_id)
    clock.catch_up(table_id=table_id)
    return _get_up(table_id=table_id, seat_id=seat_id)


@transaction.atomic(durable=True)
def _sit_down(*, table_id: int, player: User, asked: _Asked) -> Seat:
    table = lock_table(table_id)
    now = database_now()
    present = list(table.seats.present())
    _refuse_to_seat(table, present, player)
    _refuse_uninvited(table, player, asked.code)
    origin = None if table.bots_fill else asked.origin
    if origin is not None:
        origins.refuse_alike(table, player, origin)
    game = game_of(table)
    seat = game.take_seat(table, player, asked.stack)
    table.version += 1
    if asked.client_seed:
        client_seeds.add(table, seat, asked.client_seed, now)
    game.follow(table, now)
    if origin is not None:
        origins.note_origin(seat, origins.hashes(player, origin))
    publish(table)
    return seat


@transaction.atomic(durable=True)
def _get_up(*, table_id: int, seat_id: int) -> Seat:
    table = lock_table(table_id)
    seat = table.seats.get(pk=seat_id)
    if seat.left_at is not None:
        return seat
    if table.is_over:
        raise NotInPlay("The game is over; there is nothing left to leave.")

    game_of(table).get_up(table, seat, database_now())
    publish(table)
    return seat


def _refuse_to_seat(table: Table, present: list[Seat], player: User) -> None:
    if any(seat.player_id == player.pk for seat in present):
        raise AlreadySeated("This player sits at the table already.")
    if not table.is_over and len(present) >= table.seats_max:
        raise TableFull("The last seat has just been taken.")
    if table.is_over or not game_of(table).is_open(table):
        raise TableNotWaiting("The game has begun; nobody can sit down any more.")
    if player.is_bot and table.currency != PLAY_POINTS:
        raise NotAllowed("Bots play for play points only.")
    declared_bots.refuse_company(table, present, player)
    if drains.is_on():
        raise MaintenanceMode("We are pausing for maintenance: no game begins at the moment.")
    if table.stake_mode == StakeMode.CASH:
        require_may(player, act_of(table.currency))
    require_room(player)
    if table.currency != PLAY_POINTS and table.stake_mode == StakeMode.CASH:
        refuse_staff_as_player(player, table, table.template)


def _refuse_uninvited(table: Table, player: User, code: str) -> None:
    if table.invite_code and player.is_site_bot and table.bots_fill:
        return  # In a first game the house's bots are the company.
    if table.invite_code and not hmac.compare_digest(table.invite_code.encode(), code.encode()):
        raise NotInvited("This table is private: only who has its link can sit down.")
