"""Money as the API returns it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from moneyed import Money

from wallet.ledger.amounts import Amount
from wallet.ledger.money import as_money


def sent(minor: int, currency: str = "INR") -> dict[str, Any]:
    """Return an amount as the API sends it."""
    return asdict(Amount.of(minor, currency))


def inr(minor: int) -> Money:
    return as_money(minor, "INR")
