"""Amount columns of a row, in minor units and as decimals."""

from __future__ import annotations

from typing import Any

from wallet.ledger.money import as_money


def figures(currency: str, **minor: int) -> dict[str, Any]:
    """Return each amount as `name_minor` and `name`.

    >>> figures("INR", tax=12_345)
    {'tax_minor': 12345, 'tax': Decimal('123.45')}
    """
    return {
        column: value
        for name, amount in minor.items()
        for column, value in (
            (f"{name}_minor", amount),
            (name, as_money(amount, currency).amount),
        )
    }
