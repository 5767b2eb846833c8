"""The interface that every gateway implements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Protocol
from uuid import UUID

from moneyed import CurrencyDoesNotExist, Money, get_currency

from wallet.deposits.models import GatewayEvent
from wallet.exceptions import UnreadableEvent
from wallet.ledger.money import PLAY_POINTS

REFERENCE_LENGTH_MAX = 80
AMOUNT_MAX = 2**53


@dataclass(frozen=True)
class Order:
    """The gateway's reference of an order, and the page where the player pays it."""

    reference: str
    pay_url: str


@dataclass(frozen=True)
class Event:
    """An event that moves or holds money of a payment, and the record it was read from."""

    reference: str
    kind: GatewayEvent.Kind
    order_reference: str
    payment_reference: str
    amount_minor: int
    currency: str
    # The bytes the event was read from, as they arrived, and when they did.
    body: bytes
    source: GatewayEvent.Source
    received_at: datetime
    # The reference of a refund or dispute; such an event names no order.
    case_reference: str = ""
    # Of a signed event: the headers that `read_event` needs to verify it again.
    headers: Mapping[str, str] = field(default_factory=dict)

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
    def accepts_notices() -> bool:
        """Return whether its secret is set, so that its messages can be verified."""

    def open_order(self, *, deposit: UUID, amount: Money, payable_until: datetime) -> Order:
        """Create an order for this amount until that time; the same deposit is the same order."""

    def close_order(self, *, reference: str) -> None:
        """Cancel an order at the gateway.

        Raise `DepositNotOpen` if the gateway answers that it is too late.
        """

    def read_event(self, *, body: bytes, headers: Mapping[str, str], at: datetime) -> Event:
        """Return the event of a message that was received at a time.

        Raise `BadSignature` unless a listed secret that was valid at that time signed it. The
        webhook calls this for a new message, the audit for each event on record; it reads neither
        the clock nor the database.
        """
