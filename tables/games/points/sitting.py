"""Sitting in at a points table and getting up (RB 8.1)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from tables.exceptions import AlreadySeated, TableFull
from tables.games import stacks
from tables.games.sitting import Sitting
from tables.games.stacks import undecided_deal
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.seats import walking_out
from tables.state.locks import LockedTable, snapshot_of
from wallet.stakes.models import Stake

# A bot's stack, as a multiple of the largest cost of a deal.
BOT_STACK_IN_HOLDS: Final = 3
BETWEEN_DEALS: Final = (Table.Phase.WAITING, Table.Phase.BETWEEN)


class PointsSitting(Sitting):
    """Players join and leave at any time, each with their own stack."""

    def is_open(self, table: Table) -> bool:
        return True

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        """Seat a player with this stack, by default the smallest one."""
        amount = table.entry if stack is None else stack
        _refuse_to_seat(table, player)
        stacks.refuse_stack(table, amount)
        seat = Seat.objects.create(table=table, player=player)
        snapshot_of(table).add_seat(seat)
        stacks.pay_in(table, seat, no=1, amount=amount)
        return seat

    def get_up(self, table: LockedTable, seat: Seat, now: datetime) -> None:
        """Leave with the rest of the stack: at once, or after the deal in play (RB 5.8)."""
        walking_out.drop_cards(table, seat, now)
        walking_out.mark_left(table, seat, now)
        self.player_left(table, now)

    def seats_bots(self, table: Table) -> bool:
        return table.phase in BETWEEN_DEALS

    def bot_stack(self, table: Table) -> Money:
        """Return a stack for a few deals."""
        return table.entry * BOT_STACK_IN_HOLDS


def _refuse_to_seat(table: LockedTable, player: User) -> None:
    """Refuse a second seat to a player who left in a deal until that deal is settled."""
    if Stake.objects.live().filter(escrow=table.escrow, player=player).exists():
        raise AlreadySeated(_("Your last deal at this table is still being settled."))
    snapshot, deal = snapshot_of(table), undecided_deal(table)
    dealt_in = snapshot.seats_in(deal) if deal else []
    leaving = sum(seat.left_at is not None for seat in dealt_in)
    if len(snapshot.present()) + leaving >= table.seats_max:
        raise TableFull(_("This table is full. Choose another one."))
