"""Buying in: a seat's entry, rejoin or stack is paid, and the payment is counted."""

from __future__ import annotations

from moneyed import Money

from tables.models.seats import BuyIn, Seat
from tables.state.locks import LockedTable
from tables.state.rules import words_of
from wallet.ledger.models import Account
from wallet.stakes import stakes


def buy_in(
    table: LockedTable, seat: Seat, *, no: int, escrow: Account, amount: Money, rake_bps: int
) -> BuyIn:
    """Take payment `no` of a seat into an account of its table's.

    A repetition takes no second payment: its key is made of the seat and the number.
    """
    stake = stakes.take_stake(
        key=f"buyin:{seat.pk}:{no}",
        player=seat.player,
        escrow=escrow,
        entry=amount,
        rake_bps=rake_bps,
        actor=seat.player.actor,
        memo=words_of(table),
    )
    return BuyIn.objects.create(table=table, seat=seat, no=no, stake=stake)
