"""The one converter between integers in minor units and `Money`; it refuses what is not exact."""

from decimal import Decimal

from moneyed import Money, get_currency

from wallet import currencies  # noqa: F401  Registers play points before any Money names them.
from wallet.exceptions import InexactAmount


def as_money(minor: int, currency: str) -> Money:
    """Return integer minor units as Money.

    >>> as_money(1050, "INR")
    Money('10.50', 'INR')
    """
    sub_unit = get_currency(currency).sub_unit
    return Money(Decimal(minor) / sub_unit, currency)


def minor_units(money: Money) -> int:
    """Return Money as integer minor units; raise `InexactAmount` for half a paisa.

    >>> minor_units(Money("10.50", "INR"))
    1050
    """
    scaled = money.amount * money.currency.sub_unit
    if not scaled.is_finite() or scaled != scaled.to_integral_value():
        raise InexactAmount(f"{money.amount} {money.currency.code} is not a whole minor amount")
    return int(scaled)
