"""Sitting in at a points table, topping up, sitting out, getting up (RB 8.1).

Each moves money or decides who is dealt in, so each is decided under the table's lock.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from moneyed import Money

from players.accounts.models import User
from tables.clock import clock
from tables.dealing import walking_out
from tables.exceptions import (
    AlreadySeated,
    BadStack,
    InDeal,
    NotInPlay,
    StackTooSmall,
    TableFull,
    TopUpConflict,
)
from tables.games import points
from tables.seats import client_seeds
from tables.table.announcing import publish
from tables.table.models import Table
from tables.table.rules import words_of
from tables.table.seat_models import BuyIn, Seat
from wallet.holdings.models import Stake
from wallet.ledger import cash
from wallet.ledger.currencies import PLAY_POINTS
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.stakes import stacks, stakes


def top_up(*, seat_id: int, no: int, amount: Money) -> Seat:
    """Add to the seat's stack between deals; it is dealt in again from the next one.

    `no` counts what the seat has paid in, the sit-in being 1: a repetition finds its top-up made.
    """
    now = timezone.now()
    _catch_up(seat_id, now)
    return _top_up(seat_id=seat_id, no=no, amount=amount, now=now)


def sit_out(*, seat_id: int) -> Seat:
    """Be dealt in no more, from the next deal on; the seat is kept for three deals."""
    now = timezone.now()
    _catch_up(seat_id, now)
    return _sit_out(seat_id=seat_id, now=now)


def come_back(*, seat_id: int) -> Seat:
    """Be dealt in again from the next deal on; a stack that is too small is topped up first."""
    now = timezone.now()
    _catch_up(seat_id, now)
    return _come_back(seat_id=seat_id, now=now)


@transaction.atomic
def sit_in(
    table: Table, player: User, amount: Money, now: datetime, *, client_seed: str = ""
) -> Seat:
    """Take a seat with this stack; the caller holds the table's lock and publishes."""
    _refuse_to_seat(table, player)
    _refuse_stack(table, amount)
    seat = Seat.objects.create(table=table, player=player)
    _pay_in(table, seat, no=1, amount=amount)
    table.version += 1
    if client_seed:
        client_seeds.add(table, seat, client_seed, now)
    points.follow(table, now)
    return seat


@transaction.atomic
def get_up(table: Table, seat: Seat, now: datetime) -> None:
    """Leave with what is left: at once, or once the deal in play is settled (RB 5.8)."""
    walking_out.drop_cards(table, seat, now)
    walking_out.mark_left(table, seat, now)
    points.somebody_left(table, now)


@transaction.atomic(durable=True)
def _top_up(*, seat_id: int, no: int, amount: Money, now: datetime) -> Seat:
    table, seat = _present(seat_id)
    earlier = seat.buy_ins.select_related("stake").filter(no=no).first()
    if earlier is not None:
        if earlier.stake.entry_minor != minor_units(amount):
            raise TopUpConflict(f"Payment {no} of this seat was another amount; it stands.")
        return seat
    if no != seat.buy_ins.count() + 1:
        raise TopUpConflict(f"The next payment of this seat is number {seat.buy_ins.count() + 1}.")
    if _is_dealt_in(table, seat):
        raise InDeal("You can top up when this deal is over.")
    if table.currency != PLAY_POINTS:
        cash.refuse_cash(seat.player)
    _refuse_stack(table, amount, stack=stacks.stack_of(table.escrow, seat.player))
    _pay_in(table, seat, no=no, amount=amount)
    _play_on(seat)
    return _announced(table, seat, now)


@transaction.atomic(durable=True)
def _sit_out(*, seat_id: int, now: datetime) -> Seat:
    table, seat = _present(seat_id)
    if seat.sits_out_since is not None:
        return seat
    seat.sits_out_since = now
    seat.save(update_fields=["sits_out_since"])
    return _announced(table, seat, now)


@transaction.atomic(durable=True)
def _come_back(*, seat_id: int, now: datetime) -> Seat:
    table, seat = _present(seat_id)
    if seat.sits_out_since is None:
        return seat
    if points.short_seats(table, [seat]):
        hold = as_money(points.hold_minor(table), table.currency)
        raise StackTooSmall(f"A deal may cost {as_text(hold)}; top up to be dealt in.")
    _play_on(seat)
    return _announced(table, seat, now)


def _catch_up(seat_id: int, now: datetime) -> None:
    table_id = Seat.objects.values_list("table_id", flat=True).get(pk=seat_id)
    clock.catch_up(table_id=table_id, now=now)


def _present(seat_id: int) -> tuple[Table, Seat]:
    table = Table.objects.locked().get(seats=seat_id)
    seat = table.seats.select_related("player").get(pk=seat_id)
    if seat.left_at is not None or table.is_over or not table.is_open_ended:
        raise NotInPlay("This seat has no stack at a points table.")
    return table, seat


def _announced(table: Table, seat: Seat, now: datetime) -> Seat:
    table.version += 1
    points.follow(table, now)
    publish(table)
    return seat


def _play_on(seat: Seat) -> None:
    """Deals missed go on counting until the seat is dealt in: nobody keeps a chair by asking."""
    seat.sits_out_since = None
    seat.save(update_fields=["sits_out_since"])


def _is_dealt_in(table: Table, seat: Seat) -> bool:
    deal = points.undecided_deal(table)
    return deal is not None and deal.deal_seats.filter(seat=seat).exists()


def _refuse_to_seat(table: Table, player: User) -> None:
    """Whoever left in a deal still on the table keeps his chair until it is settled."""
    if Stake.objects.live().filter(escrow=table.escrow, player=player).exists():
        raise AlreadySeated("Your last deal at this table is still being settled.")
    deal = points.undecided_deal(table)
    leaving = deal.deal_seats.filter(seat__left_at__isnull=False).count() if deal else 0
    if table.seats.present().count() + leaving >= table.seats_max:
        raise TableFull("The last seat has just been taken.")


def _refuse_stack(table: Table, amount: Money, *, stack: Money | None = None) -> None:
    least = as_money(points.hold_minor(table), table.currency)
    most = as_money(points.largest_stack_minor(table), table.currency)
    after = amount if stack is None else stack + amount
    if minor_units(amount) <= 0 or not least <= after <= most:
        raise BadStack(f"A stack here is {as_text(least)} to {as_text(most)}.")


def _pay_in(table: Table, seat: Seat, *, no: int, amount: Money) -> None:
    """Rake is of what is won, deal by deal: nothing of a sit-in is the house's (RB 8.1)."""
    stake = stakes.take_stake(
        key=f"buyin:{seat.pk}:{no}",
        player=seat.player,
        escrow=table.escrow,
        entry=amount,
        rake_bps=0,
        actor=f"player:{seat.player_id}",
        memo=words_of(table),
    )
    BuyIn.objects.create(seat=seat, no=no, stake=stake)
