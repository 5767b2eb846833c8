"""Topping a stack up, sitting out and coming back between deals (RB 8.1)."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from players.eligibility.verdicts import require_may
from tables.exceptions import InDeal, NotInPlay, StackTooSmall, TopUpConflict
from tables.games import game_of, stacks
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat
from tables.play import client_seeds
from tables.responsible.verdicts import require_time
from tables.state.clock import caught_up
from tables.state.locks import LockedTable, snapshot_of
from tables.state.publishing import publish
from wallet.ledger.cash_offered import act_of
from wallet.ledger.money import as_text, minor_units
from wallet.stakes.models import Stake
from wallet.stakes.stacks import stack_of


def top_up(*, seat_id: int, no: int, amount: Money) -> Seat:
    """Add to the seat's stack between deals; it is dealt in again from the next deal on.

    `no` numbers the seat's payments, the sit-in being 1; a repeated number is not paid again.
    """
    with caught_up(table_of_seat(seat_id)) as table:
        seat = _present(table, seat_id)
        if no <= len(seat.stakes):
            if Stake.objects.get(pk=seat.stakes[no - 1]).entry_minor != minor_units(amount):
                raise TopUpConflict(
                    f"Payment {no} of this seat was already made with another amount."
                )
            return seat
        coming = len(seat.stakes) + 1
        if no != coming:
            raise TopUpConflict(f"The next payment of this seat must have number {coming}.")
        deal = stacks.undecided_deal(table)
        if deal is not None and seat in snapshot_of(table).seats_in(deal):
            raise InDeal(_("You can top up after this deal."))
        seat.player = User.objects.get(pk=seat.player_id)  # The snapshot has some fields only.
        require_may(seat.player, act_of(table.currency))
        require_time(seat.player)
        stacks.refuse_stack(table, amount, stack=stack_of(table.escrow, seat.player))
        stacks.pay_in(table, seat, no=no, amount=amount)
        return _announced(table, seat, sits_out_since=None)


def sit_out(*, seat_id: int) -> Seat:
    """Sit out from the next deal on; the seat is kept for three deals."""
    with caught_up(table_of_seat(seat_id)) as table:
        seat = _present(table, seat_id)
        if seat.sits_out_since is not None:
            return seat
        return _announced(table, seat, sits_out_since=snapshot_of(table).now)


def come_back(*, seat_id: int) -> Seat:
    """Deal the seat in again from the next deal on; raise `StackTooSmall` if it cannot play."""
    with caught_up(table_of_seat(seat_id)) as table:
        seat = _present(table, seat_id)
        if seat.sits_out_since is None:
            return seat
        if stacks.short_seats(table, [seat]):
            raise StackTooSmall(
                _("Your stack must be %(least)s or more. Top up first.")
                % {"least": as_text(table.entry)}
            )
        return _announced(table, seat, sits_out_since=None)


def _present(table: LockedTable, seat_id: int) -> Seat:
    seat = snapshot_of(table).present_seat(seat_id)
    if seat is None or table.is_over or not game_of(table).has_stacks:
        raise NotInPlay(_("You have no stack at this table."))
    return seat


def _announced(table: LockedTable, seat: Seat, *, sits_out_since: datetime | None) -> Seat:
    """Save since when the seat sits out; only being dealt in resets its missed deals."""
    if (seat.sits_out_since is None) != (sits_out_since is None):
        client_seeds.reopen(table)
    seat.sits_out_since = sits_out_since
    seat.save(update_fields=["sits_out_since"])
    table.version += 1
    game_of(table).follow(table, snapshot_of(table).now)
    publish(table)
    return seat
