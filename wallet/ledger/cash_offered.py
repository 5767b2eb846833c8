"""Whether a player can use the cashier, and the currencies it supports."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from players.eligibility.verdicts import Act, may
from players.exceptions import (
    AgeUnknown,
    ConsentOutdated,
    DepositsHeld,
    EmailUnverified,
    GuestAccount,
    PlaceDoubted,
    PlaceNotGiven,
)
from wallet.exceptions import AmountNotPositive, CurrencyNotOffered
from wallet.ledger.money import PLAY_POINTS, minor_units


def is_cash_offered(player: User) -> bool:
    """Return whether the player may deposit, or could after removing a temporary obstacle."""
    refusal = may(player, Act.DEPOSIT).refusal
    return refusal in (
        None,
        AgeUnknown,
        EmailUnverified,
        ConsentOutdated,
        DepositsHeld,
        GuestAccount,
        PlaceDoubted,
        PlaceNotGiven,
    )


def act_of(currency: str) -> Act:
    """Return the eligibility act to check for play in this currency."""
    return Act.POINTS if currency == PLAY_POINTS else Act.CASH


def refuse_amount(amount: Money) -> None:
    """Raise unless an amount of this currency and size can be deposited or withdrawn."""
    refuse_currency(amount.currency.code)
    if minor_units(amount) <= 0:
        raise AmountNotPositive(_("The amount must be more than zero."))


def refuse_currency(currency: str) -> None:
    """Raise unless the currency is one of `CASH_CURRENCIES`."""
    if currency not in settings.CASH_CURRENCIES:
        raise CurrencyNotOffered(_("Deposits and withdrawals are not available in this currency."))
