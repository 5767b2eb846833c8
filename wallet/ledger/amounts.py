"""Serializer fields for money in the API."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from moneyed import Money
from rest_framework import serializers

from core.api.openapi import schema_of
from wallet.ledger.money import as_money, as_text, minor_units

# Higher than any real balance, lower than the limit of the ledger's columns.
MINOR_MAX: Final = 10**15
# int() would also accept "1_000" and non-ASCII digits.
FIGURES: Final = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Amount:
    """Money in integer minor units, with a formatted text."""

    minor: int
    currency: str
    text: str

    @classmethod
    @lru_cache(maxsize=4096)
    def of(cls, minor: int, currency: str) -> Amount:
        return cls(minor, currency, as_text(as_money(minor, currency)))

    @classmethod
    def maybe(cls, minor: int | None, currency: str) -> Amount | None:
        return None if minor is None else cls.of(minor, currency)


class MinorField(serializers.IntegerField):
    """Minor units in a request: an integer, or ASCII digits in a query string."""

    def __init__(self, *, least: int, **options: Any) -> None:
        super().__init__(min_value=least, max_value=MINOR_MAX, **options)

    def to_internal_value(self, data: Any) -> int:
        is_figures = isinstance(data, str) and FIGURES.fullmatch(data) is not None
        if type(data) is not int and not is_figures:
            self.fail("invalid")
        return int(super().to_internal_value(data))


@extend_schema_field(schema_of(Amount))
class AmountField(serializers.Field[Any, Any, Any, Any]):
    """`Money` in a response, as an `Amount`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, **options)

    def to_representation(self, value: Money) -> dict[str, Any]:
        return asdict(Amount.of(minor_units(value), value.currency.code))
