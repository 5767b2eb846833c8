"""Where and in what play for money is offered: nowhere, unless somebody has said so (RB 11.6)."""

from __future__ import annotations

from datetime import date
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _
from moneyed import Money

from players.accounts.models import User
from players.accounts.verified_email import has_verified_email
from players.eligibility.models import Offer
from players.eligibility.regions import offer_in
from players.exceptions import (
    AgeUnknown,
    CashNotOffered,
    CashWindingDown,
    EmailUnverified,
    UnderAge,
)
from wallet.exceptions import AmountNotPositive, CurrencyNotOffered
from wallet.ledger.days import house_day
from wallet.ledger.money import minor_units

AGE_MIN: Final = 18


def refuse_cash(player: User) -> None:
    """Raise unless the player may pay in and play for money now; nothing has moved yet.

    Cash must be open and lawful where the player lives, the player of age and known by a verified
    e-mail address. A region stands for itself ("IN-KA"); a country without one ("DE") for all of
    it. Withdrawals do not ask: nobody's own money is kept from them.
    """
    if settings.CASH_WIND_DOWN:
        raise CashWindingDown(_("We no longer take money in. Withdrawals stay open."))
    is_person = not (player.is_guest or player.is_bot)
    offer = offer_in(player.country, player.region)
    if is_person and offer == Offer.WIND_DOWN:
        raise CashWindingDown(_("We no longer take money in. Withdrawals stay open."))
    if not is_person or offer != Offer.ALLOWED:
        raise CashNotOffered(_("Play for money is not offered where you live."))
    if player.birth_date is None:
        raise AgeUnknown(
            _(
                "Play for money is for adults, and we do not know your birth date. "
                "Ask our staff to enter it."
            )
        )
    if _birthday_of_age(player.birth_date) > house_day():
        raise UnderAge(_("Play for money is for players of %(age)d or older.") % {"age": AGE_MIN})
    if not has_verified_email(player):
        raise EmailUnverified(
            _(
                "Verify your e-mail address before you play for money: "
                "the page of your account sends you the link."
            )
        )


def is_cash_offered(player: User) -> bool:
    """Return whether the player may pay in, or may as soon as a missing proof is given."""
    try:
        refuse_cash(player)
    except (AgeUnknown, EmailUnverified):
        return True
    except (CashNotOffered, CashWindingDown, UnderAge):
        return False
    return True


def _birthday_of_age(born: date) -> date:
    """Return the day a player comes of age; for 29 February it is 1 March of a common year."""
    try:
        return born.replace(year=born.year + AGE_MIN)
    except ValueError:
        return date(born.year + AGE_MIN, 3, 1)


def refuse_amount(amount: Money) -> None:
    """Raise unless money of this kind and size can go in or out at all."""
    refuse_currency(amount.currency.code)
    if minor_units(amount) <= 0:
        raise AmountNotPositive(_("The amount must be more than zero."))


def refuse_currency(currency: str) -> None:
    """Raise unless the house takes in and pays out this currency."""
    if currency not in settings.CASH_CURRENCIES:
        raise CurrencyNotOffered(_("This currency is neither paid in nor paid out."))
