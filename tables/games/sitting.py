"""Sitting down, paying and leaving; the defaults are those of games with an entry fee."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from tables.exceptions import BadStack
from tables.models.seats import BuyIn, Seat
from tables.models.tables import StakeMode, Table
from tables.play import client_seeds, dealing
from tables.responsible.verdicts import stopped_seats
from tables.seats import walking_out
from tables.settlement import notifications
from tables.state import phases
from tables.state.locks import LockedTable, snapshot_of
from tables.state.rules import rules_of, table_label
from wallet.ledger.models import Account
from wallet.ledger.money import as_text
from wallet.stakes import stakes
from wallet.stakes.models import Stake


def buy_in(
    table: LockedTable, seat: Seat, *, no: int, escrow: Account, amount: Money, rake_bps: int
) -> BuyIn:
    """Pay number `no` of a seat's payments into an account of its table.

    Idempotent: the transfer's key consists of the seat and the number.
    """
    stake = stakes.take_stake(
        key=f"buyin:{seat.pk}:{no}",
        player=seat.player,
        escrow=escrow,
        entry=amount,
        rake_bps=rake_bps,
        actor=seat.player.actor,
        memo=table_label(table),
    )
    seat.stakes.append(stake.pk)
    return BuyIn.objects.create(table=table, seat=seat, no=no, stake=stake)


class Sitting:
    """Sit down and pay while the table waits; players who leave later forfeit their entry."""

    def is_open(self, table: Table) -> bool:
        """Return whether a player may join a table that is not over."""
        return table.phase == Table.Phase.WAITING

    def take_seat(self, table: LockedTable, player: User, stack: Money | None) -> Seat:
        """Seat a player, who pays the entry or brings this stack."""
        if stack not in (None, table.entry):
            raise BadStack(
                _("The entry at this table is %(entry)s.") % {"entry": as_text(table.entry)},
                least=table.entry_minor,
                most=table.entry_minor,
            )
        seat = Seat.objects.create(table=table, player=player)
        snapshot_of(table).add_seat(seat)
        if table.stake_mode == StakeMode.CASH:
            buy_in(
                table, seat, no=1, escrow=table.escrow, amount=table.entry, rake_bps=table.rake_bps
            )
        return seat

    def follow(self, table: LockedTable, now: datetime) -> None:
        """Update the countdown and the bots of a waiting table after a seat has changed."""
        if table.phase == Table.Phase.WAITING:
            self._follow_start(table, now)
        if table.phase == Table.Phase.WAITING:
            table.bot_due_at = None
            # Without people, the bots leave.
            if table.bots_fill and snapshot_of(table).present():
                table.bot_due_at = phases.thought_over(now)

    def get_up(self, table: LockedTable, seat: Seat, now: datetime) -> None:
        """Free a seat and return the money due to its player (RB 5.8, 7.9, 8.1)."""
        if table.phase == Table.Phase.WAITING:
            _return_entry(table, seat)
            walking_out.mark_left(table, seat, now)
            self.follow(table, now)
            return
        walking_out.drop_cards(table, seat, now)
        walking_out.mark_left(table, seat, now)
        if table.phase in (Table.Phase.BETWEEN, Table.Phase.REJOIN, Table.Phase.SPLIT):
            self.player_left(table, now)

    def player_left(self, table: LockedTable, now: datetime) -> None:
        """Start the step after a seat was left between two deals.

        By default a settlement worker decides whether the game needs further deals.
        """
        phases.await_step(table, now)

    def start(self, table: LockedTable, now: datetime) -> None:
        """Deal the first deal; refund players who may not play, and wait if too few are left."""
        stopped = stopped_seats(table)
        for seat in stopped:
            _return_entry(table, seat)
            walking_out.mark_left(table, seat, now)
            notifications.notify_of_seat_given_up(table, seat, now)
        if stopped:
            self.follow(table, now)
        else:
            dealing.start_game(table, now)

    def seats_bots(self, table: Table) -> bool:
        """Return whether bots may join, pay and leave in the table's current phase."""
        return table.phase == Table.Phase.WAITING

    def bot_stack(self, table: Table) -> Money:
        """Return what a bot pays to sit down."""
        return table.entry

    def _follow_start(self, table: LockedTable, now: datetime) -> None:
        start_seconds = rules_of(table.profile).start_seconds
        taken = len(snapshot_of(table).present())
        if taken == table.seats_max or (taken >= table.seats_min and start_seconds == 0):
            if client_seeds.are_in(table, now):
                self.start(table, now)
        elif taken < table.seats_min:
            phases.disarm(table)
        elif table.due_at is None:  # A running countdown is not restarted.
            phases.arm(table, start_seconds, now)


def _return_entry(table: LockedTable, seat: Seat) -> None:
    if seat.stakes:  # At a table for chips there is no payment.
        stakes.return_stakes(
            stakes=[Stake(pk=stake) for stake in seat.stakes],
            key=f"leave:{seat.pk}",
            memo=table_label(table),
        )
