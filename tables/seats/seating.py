"""Sitting down and leaving: both move money, so both are decided under the table's lock."""

from __future__ import annotations

import hmac

from django.utils.translation import gettext as _
from moneyed import Money

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
from tables.manners.blocks import refuse_blocked
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.play import client_seeds as complete
from tables.play import drains
from tables.responsible.verdicts import require_may_sit_down
from tables.seats import client_seeds, declared_bots
from tables.seats.origins import Origin, hashes, note_origin, refuse_alike
from tables.settlement import finishing
from tables.state.clock import caught_up
from tables.state.locks import LockedTable, snapshot_of
from tables.state.publishing import publish
from wallet.ledger.cash_offered import act_of
from wallet.ledger.money import PLAY_POINTS


def join(
    *,
    table_id: int,
    player: User,
    stack: Money | None = None,
    code: str = "",
    origin: Origin | None = None,
    client_seed: str = "",
) -> Seat:
    """Seat a player at a table that is open to them; taking the last seat may start the game.

    Points tables: `stack` is the amount to bring, by default the smallest (RB 8.1). Private tables:
    `code` is their link's code. `origin` is where a person came from. `client_seed` goes into the
    next deal's shuffle: there may be no later chance before the toss (RB 12.1); it is left out
    while cards are played. A refusal, also of the payment, saves nothing.
    """
    if client_seed:
        client_seeds.refuse_unreadable(client_seed)
    with caught_up(table_id) as table:
        now = snapshot_of(table).now
        _refuse_to_seat(table, snapshot_of(table).present(), player)
        _refuse_uninvited(table, player, code)
        refuse_blocked(snapshot_of(table).present(), player)
        here = hashes(player, origin) if origin and not table.bots_fill else None
        nearby = refuse_alike(table, player, here) if here else []
        game = game_of(table)
        seat = game.take_seat(table, player, stack)
        complete.reopen(table)
        table.version += 1
        if client_seed and snapshot_of(table).coming is not None:
            client_seeds.add(table, seat, client_seed, now)
        game.follow(table, now)
        if here:
            note_origin(seat, here, nearby)
        publish(table)
        return seat


def leave(*, seat_id: int) -> Seat:
    """Leave the table: before the start with a full refund, later by RB 5.8 and 7.9. Idempotent."""
    with caught_up(table_of_seat(seat_id)) as table:
        seat = snapshot_of(table).present_seat(seat_id)
        if seat is None:
            return Seat.objects.get(table=table, pk=seat_id)
        return _leave(table, seat)


def leave_as(player: User, *, table_id: int) -> Seat:
    """Leave the table with this player's seat. Raise `Seat.DoesNotExist` if they have none."""
    with caught_up(table_id) as table:
        return give_up_seat(table, player)


def give_up_seat(table: LockedTable, player: User) -> Seat:
    """Leave a locked table as `leave_as` does."""
    own = (seat for seat in snapshot_of(table).present() if seat.player_id == player.pk)
    seat = next(own, None)
    if seat is None:
        raise Seat.DoesNotExist(f"no seat of {player} at {table}")
    return _leave(table, seat)


def _leave(table: LockedTable, seat: Seat) -> Seat:
    if table.is_over:
        raise NotInPlay(_("The game is already over."))
    is_full = len(snapshot_of(table).present()) == table.seats_max
    if table.phase == Table.Phase.WAITING and table.stake_mode == StakeMode.CHIPS and is_full:
        raise NotInPlay(_("The game starts in a moment. Leave it after the first cards are dealt."))
    game_of(table).get_up(table, seat, snapshot_of(table).now)
    publish(table)
    return seat


def _refuse_to_seat(table: Table, present: list[Seat], player: User) -> None:
    if any(seat.player_id == player.pk for seat in present):
        raise AlreadySeated(_("You already sit at this table."))
    if not table.is_over and len(present) >= table.seats_max:
        raise TableFull(_("This table is full. Choose another one."))
    is_cancelled = table.ending == finishing.CANCELLED  # Before a worker has carried it out, too.
    if table.is_over or is_cancelled or not game_of(table).is_open(table):
        raise TableNotWaiting(_("The game has already begun. Choose another table."))
    if player.is_bot and table.currency != PLAY_POINTS:
        raise NotAllowed("Bots can play for play points only.")
    declared_bots.refuse_company(table, present, player)
    if drains.is_on():
        raise MaintenanceMode(_("No games start during maintenance. Please try again later."))
    if table.stake_mode == StakeMode.CASH:
        require_may(player, act_of(table.currency))
    require_may_sit_down(player)
    if table.currency != PLAY_POINTS and table.stake_mode == StakeMode.CASH:
        refuse_staff_as_player(player, table, table.template)


def _refuse_uninvited(table: Table, player: User, code: str) -> None:
    if table.invite_code and player.is_site_bot and table.bots_fill:
        return  # A first game is played with the site's bots.
    if table.invite_code and not hmac.compare_digest(table.invite_code.encode(), code.encode()):
        raise NotInvited(_("This table is private. Open the invitation link to sit down."))
