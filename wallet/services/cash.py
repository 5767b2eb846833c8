"""Where and in what play for money is offered: nowhere, unless somebody has said so (RB 11.6)."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext as _
from moneyed import Money

from players.models import User
from wallet.exceptions import (
    AmountNotPositive,
    CashNotOffered,
    CashWindingDown,
    CurrencyNotOffered,
)
from wallet.money import minor_units


def refuse_cash(player: User) -> None:
    """Raise unless cash is lawful where the player lives, and open; nothing has moved yet.

    A region stands for itself ("IN-KA"); a country without one ("DE") for all of it.
    """
    if settings.CASH_WIND_DOWN:
        raise CashWindingDown(_("We no longer take money in. Withdrawals stay open."))
    places = {player.country, f"{player.country}-{player.region}"} - {""}
    is_person = not (player.is_guest or player.is_bot)
    if not is_person or places.isdisjoint(settings.CASH_REGIONS):
        raise CashNotOffered(_("Play for money is not offered where you live."))


def refuse_amount(amount: Money) -> None:
    """Raise unless money of this kind and size can go in or out at all."""
    refuse_currency(amount.currency.code)
    if minor_units(amount) <= 0:
        raise AmountNotPositive(_("The amount must be more than zero."))


def refuse_currency(currency: str) -> None:
    """Raise unless the house takes in and pays out this currency."""
    if currency not in settings.CASH_CURRENCIES:
        raise CurrencyNotOffered(_("This currency is neither paid in nor paid out."))
