"""Whose money staff actions move; see `players.accounts.conflicts_of_interest`."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings
from django.db import models

from players.accounts.models import User
from players.eligibility.places.models import RegionChange
from wallet.audit.models import WithdrawalFreeze
from wallet.deposits.payment_models import DepositTerm
from wallet.ledger.models import Account
from wallet.stakes.balances import money_in_games
from wallet.stakes.models import Stake
from wallet.tax.invoices.models import Registration, TaxForm
from wallet.tax.models import TaxRate
from wallet.withdrawals.models import Withdrawal


def lock_games(player_ids: Collection[int]) -> None:
    """Do nothing: the wallet does not depend on games."""


def opponents_of(player_id: int) -> set[int]:
    return set()


def is_in_game(player: User) -> bool:
    return any(money_in_games(player).values())


def takes_part(player: User, row: models.Model) -> bool:
    """Return whether a row concerns money that the player has now.

    A freeze of withdrawals concerns every player with a pending withdrawal. Players with cash in
    the
    wallet, in a game or in a withdrawal cannot decide about its tax, the term of deposits, or the
    places with cash play.
    """
    if isinstance(row, WithdrawalFreeze):
        return Withdrawal.objects.of_player(player).pending().exists()
    if isinstance(row, DepositTerm | Registration | TaxForm | RegionChange):
        return _has_cash(player, settings.CASH_CURRENCIES)
    if isinstance(row, TaxRate):
        return _has_cash(player, [row.currency])
    return False


def _has_cash(player: User, currencies: Collection[str]) -> bool:
    there = Account.objects.buckets_of(player).filter(balance_minor__gt=0)
    at_stake = Stake.objects.of_player(player).live()
    leaving = Withdrawal.objects.of_player(player).pending()
    return (
        there.filter(currency__in=currencies).exists()
        or at_stake.filter(escrow__currency__in=currencies).exists()
        or leaving.filter(currency__in=currencies).exists()
    )
