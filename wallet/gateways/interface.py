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
    """An event that moves or holds money of a payment, with its raw record."""

    reference: str
    kind: GatewayEvent.Kind
    order_reference: str
    payment_reference: str
    amount_minor: int
    currency: str
    # The raw bytes of the event and the time of their arrival.
    body: bytes
    source: GatewayEvent.Source
    received_at: datetime
    # The reference of a refund or dispute; such an event names no order.
    case_reference: str = ""
    # For a signed event: the headers that `read_event` needs to verify it again.
    headers: Mapping[str, str] = field(default_factory=dict)
    # What the payer paid on top of the order for the gateway, and the tax on it: parts of
    # `amount_minor` that the gateway keeps.
    fee_minor: int = 0
    tax_minor: int = 0
    # What a lost dispute moved, if the gateway reports it beside the disputed amount.
    moved_minor: int | None = None

    def __post_init__(self) -> None:
        is_return = self.kind in GatewayEvent.RETURNS
        about = self.case_reference if is_return else self.order_reference
        for name in (self.reference, about, self.payment_reference):
            if not isinstance(name, str) or not 0 < len(name) <= REFERENCE_LENGTH_MAX:
                raise UnreadableEvent(f"{name!r} is not a reference")
            if not name.isprintable():
                raise UnreadableEvent(f"{name!r} is not a reference")
        if type(self.amount_minor) is not int or not 0 < self.amount_minor < AMOUNT_MAX:
            raise UnreadableEvent(f"{self.amount_minor!r} is not an amount in minor units")
        parts = (self.fee_minor, self.tax_minor)
        if not all(map(_is_amount, parts)) or sum(parts) >= self.amount_minor:
            raise UnreadableEvent(f"{self.fee_minor!r} and {self.tax_minor!r} are not parts of it")
        if self.moved_minor is not None and not _is_amount(self.moved_minor):
            raise UnreadableEvent(f"{self.moved_minor!r} is not an amount in minor units")
        try:
            get_currency(self.currency)
        except CurrencyDoesNotExist:
            raise UnreadableEvent(f"{self.currency!r} is not a currency") from None
        if self.currency == PLAY_POINTS:
            raise UnreadableEvent("play points cannot be bought")


def _is_amount(value: int) -> bool:
    return type(value) is int and 0 <= value < AMOUNT_MAX


class Gateway(Protocol):
    name: ClassVar[str]

    @staticmethod
    def accepts_events() -> bool:
        """Return whether its secret is set, so that its events can be verified."""

    def open_order(self, *, deposit: UUID, amount: Money, payable_until: datetime) -> Order:
        """Create an order, payable until that time; idempotent for each deposit."""

    def close_order(self, *, reference: str) -> None:
        """Cancel an order at the gateway.

        Raise `DepositNotOpen` if the gateway answers that it is too late.
        """

    def read_event(self, *, body: bytes, headers: Mapping[str, str], at: datetime) -> Event:
        """Return the event of a message received at a time.

        Raise `BadSignature` unless a listed secret that was valid at that time signed it. Called by
        the webhook for a new message and by the audit for each stored event, so it must read
        neither the clock nor the database.
        """
