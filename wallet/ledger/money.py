"""Conversion between integer minor units and `Money`; inexact amounts are refused."""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from functools import cache
from operator import attrgetter
from typing import Final, Self, overload

from moneyed import Money, add_currency, get_currency

from wallet.exceptions import InexactAmount

# Play points: not an ISO currency, without cash value (RB 11.3).
PLAY_POINTS: Final = "PTS"

# Enough digits for any amount entered; an overflow raises instead of rounding.
EXACT = Context(prec=60, traps=[Inexact, InvalidOperation])
# The range of the ledger's bigint columns.
MINOR_UNITS_MAX = 2**63 - 1
SYMBOLS = {"INR": "₹"}
# Positions of commas: before the last three digits, then every two.
INDIAN_GROUPS = re.compile(r"\B(?=(?:\d\d)*\d{3}$)")
# Basis points in 100 %: rates of rake, tax and bonuses use them.
BASIS_POINTS: Final = 10_000

add_currency(code=PLAY_POINTS, numeric="", sub_unit=100, name="Play points", countries=[])


def as_money(minor: int, currency: str) -> Money:
    """Return integer minor units as Money.

    >>> as_money(1050, "INR")
    Money('10.50', 'INR')
    """
    return Money(as_decimal(minor, currency), currency)


def as_decimal(minor: int, currency: str) -> Decimal:
    """Return integer minor units as a decimal with the currency's number of decimal places.

    >>> as_decimal(1050, "INR"), as_decimal(-7, "INR")
    (Decimal('10.50'), Decimal('-0.07'))
    """
    return Decimal(minor).scaleb(-_digits(currency), EXACT)


@cache
def _digits(currency: str) -> int:
    return len(str(get_currency(currency).sub_unit)) - 1


def minor_units(money: Money) -> int:
    """Return Money as integer minor units; raise `InexactAmount` for a fraction of one.

    >>> minor_units(Money("10.50", "INR"))
    1050
    >>> minor_units(Money("10.505", "INR"))
    Traceback (most recent call last):
    wallet.exceptions.InexactAmount: 10.505 INR is not a whole minor amount
    """
    amount = money.amount
    try:
        with localcontext(EXACT):
            scaled = amount * money.currency.sub_unit
            if scaled.is_finite() and scaled == scaled.to_integral_value():
                return int(scaled)
    except (Inexact, InvalidOperation):
        pass
    raise InexactAmount(f"{amount} {money.currency.code} is not a whole minor amount")


def as_text(money: Money) -> str:
    """Return Money as text for people, with Indian digit grouping.

    Play points have decimals only where they are not whole; other currencies always have two.

    >>> as_text(as_money(123456700, "INR")), as_text(as_money(-4000, "INR"))
    ('₹12,34,567.00', '-₹40.00')
    >>> as_text(as_money(10000000, "PTS")), as_text(as_money(1250, "PTS"))
    ('1,00,000 PTS', '12.50 PTS')
    """
    code = money.currency.code
    sign = "-" if money.amount < 0 else ""
    whole, _point, fraction = f"{abs(money.amount):.2f}".partition(".")
    figures = INDIAN_GROUPS.sub(",", whole)
    if code != PLAY_POINTS or fraction != "00":
        figures = f"{figures}.{fraction}"
    symbol = SYMBOLS.get(code)
    return f"{sign}{symbol}{figures}" if symbol else f"{sign}{figures} {code}"


def percent(bps: int) -> str:
    """Return basis points as a percentage without trailing zeros.

    >>> percent(3_000), percent(1_250)
    ('30', '12.5')
    """
    return f"{bps / 100:g}"


class MoneyProperty:
    """A `Money` property over a column of minor units; `currency` is an attribute path."""

    def __init__(self, column: str, *, currency: str = "currency") -> None:
        self._parts = attrgetter(column, currency)

    @overload
    def __get__(self, row: None, owner: type) -> Self: ...
    @overload
    def __get__(self, row: object, owner: type) -> Money: ...
    def __get__(self, row: object | None, owner: type) -> Self | Money:
        return self if row is None else as_money(*self._parts(row))
