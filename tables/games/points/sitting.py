"""Sitting in at a points table, topping up, sitting out, getting up (RB 8.1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from moneyed import Money

from players.accounts.models import User
from players.eligibility.verdicts import require_may
from tables.exceptions import AlreadySeated, InDeal, StackTooSmall, TableFull, TopUpConflict
from tables.games.points import cashing_out, funds
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.responsible.verdicts import require_time
from tables.seats import walking_out
from tables.state.locks import LockedTable
from wallet.ledger.cash_offered import act_of
from wallet.ledger.money import as_money, as_text, minor_units
from wallet.stakes import stacks
from wallet.stakes.models import Stake

# A bot's stack, as a multiple of the largest cost of a deal.
BOT_STACK_IN_HOLDS: Final = 3
BETWEEN_DEALS: Final = (Table.Phase.WAITING, Table.Phase.BETWEEN)


class PointsSitting(ABC):
    """Players join and leave at any time, each with their own stack."""

    def is_open(self, table: Table) -> bool:
        return True

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        """Seat a player with this stack, by default the smallest one."""
        amount = table.entry if stack is None else stack
        _refuse_to_seat(table, player)
        funds.refuse_stack(table, amount)
        seat = Seat.objects.create(table=table, player=player)
        funds.pay_in(table, seat, no=1, amount=amount)
        return seat

    def get_up(self, table: LockedTable, seat: Seat, now: datetime) -> None:
        """Leave with the rest of the stack: at once, or after the deal in play (RB 5.8)."""
        walking_out.drop_cards(table, seat, now)
        walking_out.mark_left(table, seat, now)
        self.player_left(table, now)

    @abstractmethod
    def player_left(self, table: LockedTable, now: datetime) -> object:
        """Pay the seat out."""

    def top_up(self, table: LockedTable, seat: Seat, *, no: int, amount: Money) -> bool:
        earlier = seat.buy_ins.select_related("stake").filter(no=no).first()
        if earlier is not None:
            if earlier.stake.entry_minor != minor_units(amount):
                raise TopUpConflict(
                    f"Payment {no} of this seat was already made with another amount."
                )
            return False
        coming = seat.buy_ins.count() + 1
        if no != coming:
            raise TopUpConflict(f"The next payment of this seat must have number {coming}.")
        if _is_dealt_in(table, seat):
            raise InDeal("You can top up after this deal.")
        require_may(seat.player, act_of(table.currency))
        require_time(seat.player)
        funds.refuse_stack(table, amount, stack=stacks.stack_of(table.escrow, seat.player))
        funds.pay_in(table, seat, no=no, amount=amount)
        _play_on(seat)
        return True

    def sit_out(self, table: LockedTable, seat: Seat, now: datetime) -> bool:
        if seat.sits_out_since is not None:
            return False
        seat.sits_out_since = now
        seat.save(update_fields=["sits_out_since"])
        return True

    def come_back(self, table: LockedTable, seat: Seat) -> bool:
        if seat.sits_out_since is None:
            return False
        if funds.short_seats(table, [seat]):
            smallest = as_money(funds.smallest_stack_minor(table), table.currency)
            raise StackTooSmall(f"Your stack must be {as_text(smallest)} or more. Top up first.")
        _play_on(seat)
        return True

    def seats_bots(self, table: Table) -> bool:
        return table.phase in BETWEEN_DEALS

    def bot_stack(self, table: Table) -> Money:
        """Return a stack for a few deals."""
        return table.entry * BOT_STACK_IN_HOLDS

    def short_seats(self, table: Table, seats: Sequence[Seat]) -> list[Seat]:
        return funds.short_seats(table, seats)


def _play_on(seat: Seat) -> None:
    """Keep the count of missed deals, which only being dealt in resets."""
    seat.sits_out_since = None
    seat.save(update_fields=["sits_out_since"])


def _is_dealt_in(table: Table, seat: Seat) -> bool:
    deal = cashing_out.undecided_deal(table)
    return deal is not None and deal.deal_seats.filter(seat=seat).exists()


def _refuse_to_seat(table: Table, player: User) -> None:
    """Refuse a second seat to a player who left in a deal until that deal is settled."""
    if Stake.objects.live().filter(escrow=table.escrow, player=player).exists():
        raise AlreadySeated("Your last deal at this table is still being settled.")
    deal = cashing_out.undecided_deal(table)
    leaving = deal.deal_seats.filter(seat__left_at__isnull=False).count() if deal else 0
    if table.seats.present().count() + leaving >= table.seats_max:
        raise TableFull("This table is full. Choose another one.")
