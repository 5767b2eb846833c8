"""Sitting down and leaving: both move money, so both are decided under the table's lock."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from moneyed import Money

from players.accounts import interests
from players.accounts.models import User
from tables.clock import clock
from tables.dealing import dealing, walking_out
from tables.exceptions import (
    AlreadySeated,
    BadStack,
    HouseDraining,
    NotAllowed,
    NotInPlay,
    NotInvited,
    TableFull,
    TableNotWaiting,
)
from tables.games import game_of
from tables.seats import client_seeds, origins, stacks
from tables.seats.origins import Origin
from tables.table import drains, phases
from tables.table.announcing import publish
from tables.table.models import Table
from tables.table.profile_models import StakeMode
from tables.table.rules import rules_of, words_of
from tables.table.seat_models import BuyIn, Seat
from wallet.ledger import cash
from wallet.ledger.currencies import PLAY_POINTS
from wallet.ledger.money import as_text
from wallet.stakes import stakes


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a player brings besides himself."""

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
    """Buy a player in at a waiting table; the last seat starts the game at once.

    At a points table he sits in with a stack, the smallest one if he names none, and may do so
    while others play (RB 8.1). A private table wants its link's `code`; `origin` is where a person
    came from. `client_seed` goes into the coming deal's shuffle: whoever takes the last seat has no
    other moment for it before the toss (RB 12.1). A refusal, of money too, leaves no row behind.
    """
    now = timezone.now()
    if client_seed:
        client_seeds.refuse_unreadable(client_seed)
    clock.catch_up(table_id=table_id, now=now)
    asked = _Asked(stack, code, origin, client_seed)
    return _sit_down(table_id=table_id, player=player, asked=asked, now=now)


def leave(*, seat_id: int) -> Seat:
    """Leave: before the start with the entry back in full, later by RB 5.8 and 7.9."""
    now = timezone.now()
    table_id = Seat.objects.values_list("table_id", flat=True).get(pk=seat_id)
    clock.catch_up(table_id=table_id, now=now)
    return _get_up(table_id=table_id, seat_id=seat_id, now=now)


@transaction.atomic(durable=True)
def _sit_down(*, table_id: int, player: User, asked: _Asked, now: datetime) -> Seat:
    table = Table.objects.locked().get(pk=table_id)
    present = list(table.seats.present())
    _refuse_to_seat(table, present, player)
    _refuse_uninvited(table, asked.code)
    origin = None if table.bots_fill else asked.origin
    if origin is not None:
        origins.refuse_alike(table, player, origin)
    seat = _take_seat(table, len(present), player, asked, now)
    if origin is not None:
        origins.note_origin(seat, origins.hashes(player, origin))
    publish(table)
    return seat


def _take_seat(table: Table, taken: int, player: User, asked: _Asked, now: datetime) -> Seat:
    stack = asked.stack
    if table.is_open_ended:
        stack = table.entry if stack is None else stack
        return stacks.sit_in(table, player, stack, now, client_seed=asked.client_seed)
    if stack not in (None, table.entry):
        raise BadStack(f"One sits down here for {as_text(table.entry)}.")

    seat = Seat.objects.create(table=table, player=player)
    if table.stake_mode == StakeMode.CASH:
        _buy_in(table, seat, player)
    table.version += 1
    if asked.client_seed:
        client_seeds.add(table, seat, asked.client_seed, now)
    _await_start(table, taken=taken + 1, now=now)
    if table.phase == Table.Phase.WAITING:
        await_bots(table, now)
    return seat


def _buy_in(table: Table, seat: Seat, player: User) -> None:
    stake = stakes.take_stake(
        key=f"buyin:{seat.pk}:1",
        player=player,
        escrow=table.escrow,
        entry=table.entry,
        rake_bps=table.rake_bps,
        actor=f"player:{player.pk}",
        memo=words_of(table),
    )
    BuyIn.objects.create(seat=seat, no=1, stake=stake)


@transaction.atomic(durable=True)
def _get_up(*, table_id: int, seat_id: int, now: datetime) -> Seat:
    table = Table.objects.locked().get(pk=table_id)
    seat = table.seats.get(pk=seat_id)
    if seat.left_at is not None:
        return seat
    if table.is_over:
        raise NotInPlay("The game is over; there is nothing left to leave.")

    if table.is_open_ended:
        stacks.get_up(table, seat, now)
    elif table.phase == Table.Phase.WAITING:
        take_back(table, seat, now)
    else:
        _walk_out(table, seat, now)
    publish(table)
    return seat


def await_bots(table: Table, now: datetime) -> None:
    """Wake a bot to sit down beside a person, or to get up where it waits for nobody."""
    seated = table.seats.present()
    people = seated.filter(player__is_bot=False).exists()
    bots = seated.filter(player__is_bot=True).exists()
    table.bot_due_at = None
    if table.bots_fill and (people or bots):
        table.bot_due_at = phases.thought_over(now)


def _refuse_to_seat(table: Table, present: list[Seat], player: User) -> None:
    if any(seat.player_id == player.pk for seat in present):
        raise AlreadySeated("This player sits at the table already.")
    if not table.is_over and len(present) >= table.seats_max:
        raise TableFull("The last seat has just been taken.")
    if table.is_over or not (table.is_open_ended or table.phase == Table.Phase.WAITING):
        raise TableNotWaiting("The game has begun; nobody can sit down any more.")
    if player.is_bot and table.currency != PLAY_POINTS:
        raise NotAllowed("Bots play for play points only.")
    if drains.is_on():
        raise HouseDraining("We are pausing for maintenance: no game begins at the moment.")
    if table.currency != PLAY_POINTS and table.stake_mode == StakeMode.CASH:
        cash.refuse_cash(player)
        interests.refuse_to_play(player, table, table.template)


def _refuse_uninvited(table: Table, code: str) -> None:
    if table.invite_code and not hmac.compare_digest(table.invite_code.encode(), code.encode()):
        raise NotInvited("This table is private: only who has its link can sit down.")


def _await_start(table: Table, *, taken: int, now: datetime) -> None:
    start_seconds = rules_of(table.profile).start_seconds
    if taken == table.seats_max or (taken >= table.seats_min and start_seconds == 0):
        dealing.start_game(table, now)
    elif taken < table.seats_min:
        phases.disarm(table)
    elif table.due_at is None:  # The countdown runs on when one more sits down.
        phases.arm(table, start_seconds, now)


def take_back(table: Table, seat: Seat, now: datetime) -> None:
    """Return the entry of a seat at a locked table that waits, and empty the seat."""
    paid = [buy_in.stake for buy_in in seat.buy_ins.select_related("stake")]
    if paid:  # At a table for chips nobody has paid anything.
        stakes.return_stakes(
            stakes=paid,
            key=f"leave:{seat.pk}",
            actor=f"player:{seat.player_id}",
            memo=words_of(table),
        )
    walking_out.mark_left(table, seat, now)
    _await_start(table, taken=table.seats.present().count(), now=now)
    await_bots(table, now)


def _walk_out(table: Table, seat: Seat, now: datetime) -> None:
    """Drop the seat's cards where it still plays; the entry stays in the pot (RB 7.9)."""
    walking_out.drop_cards(table, seat, now)
    walking_out.mark_left(table, seat, now)
    if table.phase in (Table.Phase.BETWEEN, Table.Phase.REJOIN, Table.Phase.SPLIT):
        game_of(table.profile).somebody_left(table, now)
