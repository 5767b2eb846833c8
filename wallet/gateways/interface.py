"""The interface that every gateway implements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Protocol
from uuid import UUID

from moneyed import CurrencyDoesNotExist, Money, get_currency

from wallet.exceptions import UnreadableEvent
from wallet.ledger.money import PLAY_POINTS
from wallet.payments.models import GatewayEvent

REFERENCE_LENGTH_MAX = 80
AMOUNT_MAX = 2**53


@dataclass(frozen=True)
class Order:
    """The gateway's reference of an order, and the page where the player pays it."""

    reference: str
    pay_url: str


@dataclass(frozen=True)
class Event:
    """An event reported by a gateway, with its signature verified."""

    reference: str
    kind: GatewayEvent.Kind
    order_reference: str
    payment_reference: str
    amount_minor: int
    currency: str
    body: str
    # The reference of a refund or dispute; such an event names no order.
    case_reference: str = ""

    def __post_init__(self) -> None:
        is_return = self.kind in GatewayEvent.RETURNS
        about = self.case_reference if is_return else self.order_reference
        for name in (self.reference, about, self.payment_reference):
            if not isinstance(name, str) or not 0 < len(name) <= REFERENCE_LENGTH_MAX:
                raise UnreadableEvent(f"{name!r} is no reference")
            if not name.isprintable():
                raise UnreadableEvent(f"{name!r} is no reference")
        if type(self.amount_minor) is not int or not 0 < self.amount_minor < AMOUNT_MAX:
            raise UnreadableEvent(f"{self.amount_minor!r} is no amount in minor units")
        try:
            get_currency(self.currency)
        except CurrencyDoesNotExist:
            raise UnreadableEvent(f"{self.currency!r} is no currency") from None
        if self.currency == PLAY_POINTS:
            raise UnreadableEvent("play points are not paid for")


class Gateway(Protocol):
    name: ClassVar[str]

    @staticmethod
    def is_heard() -> bool:
        """Return whether its secret is set, so that its messages can be verified."""

    def open_order(self, *, deposit: UUID, amount: Money, payable_until: datetime) -> Order:
        """Create an order for this amount until that time; the same deposit is the same order."""

    def close_order(self, *, reference: str) -> None:
        """Cancel an order at the gateway.

        Raise `DepositNotOpen` if the gateway answers that it is too late.
        """

    def read_event(self, *, body: bytes, headers: Mapping[str, str]) -> Event:
        """Return the event of a message; raise `BadSignature` if its signature is wrong."""
