"""Buying in: pay a seat's entry, rejoin or stack, and number the payment."""

from __future__ import annotations

from moneyed import Money

from tables.models.seats import BuyIn, Seat
from tables.state.locks import LockedTable
from tables.state.rules import table_label
from wallet.ledger.models import Account
from wallet.stakes import stakes


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
    return BuyIn.objects.create(table=table, seat=seat, no=no, stake=stake)
