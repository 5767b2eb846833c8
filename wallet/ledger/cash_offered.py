"""Whether the cashier is open to a player, and which money it handles."""

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
    PlaceDoubted,
)
from wallet.exceptions import AmountNotPositive, CurrencyNotOffered
from wallet.ledger.money import PLAY_POINTS, minor_units


def is_cash_offered(player: User) -> bool:
    """Return whether the player may pay in, or may once what keeps them from it is settled."""
    refusal = may(player, Act.DEPOSIT).refusal
    return refusal in (
        None,
        AgeUnknown,
        EmailUnverified,
        ConsentOutdated,
        DepositsHeld,
        PlaceDoubted,
    )


def act_of(currency: str) -> Act:
    """Return what playing for this currency asks for."""
    return Act.POINTS if currency == PLAY_POINTS else Act.CASH


def refuse_amount(amount: Money) -> None:
    """Raise unless money of this kind and size can go in or out at all."""
    refuse_currency(amount.currency.code)
    if minor_units(amount) <= 0:
        raise AmountNotPositive(_("The amount must be more than zero."))


def refuse_currency(currency: str) -> None:
    """Raise unless the house takes in and pays out this currency."""
    if currency not in settings.CASH_CURRENCIES:
        raise CurrencyNotOffered(_("This currency is neither paid in nor paid out."))
