"""A gateway of our own for demos and tests, which behaves like a real one, its faults included.

Its page (wallet/gateways/sandbox_page.py) plays the player's bank; its events are signed and read
like anybody's.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.crypto import salted_hmac
from moneyed import Money

from core.clock import database_now
from core.json_text import read_json
from wallet.deposits.models import GatewayEvent
from wallet.exceptions import BadSignature, UnreadableEvent
from wallet.gateways.interface import Event, Order
from wallet.ledger.money import minor_units

SIGNATURE_HEADER = "X-Sandbox-Signature"
# How old a signature may be; a gateway that sends an event again signs it anew.
TOLERANCE_SECONDS = 300
ORDER_SALT = "wallet.gateways.sandbox.order"


class SandboxGateway:
    name: ClassVar[str] = "sandbox"

    @staticmethod
    def accepts_notices() -> bool:
        """Only while it takes orders: its money is nobody's."""
        return SandboxGateway.name == settings.DEPOSIT_GATEWAY

    def open_order(self, *, deposit: UUID, amount: Money, payable_until: datetime) -> Order:
        reference = f"order_{deposit.hex}"
        facts = {
            "order": reference,
            "deposit": str(deposit),
            "amount_minor": minor_units(amount),
            "currency": amount.currency.code,
            "payable_until": payable_until.timestamp(),
        }
        # The page keeps no books: all it must know is in its address, signed.
        token = signing.dumps(facts, salt=ORDER_SALT)
        return Order(reference=reference, pay_url=reverse("sandbox-pay", args=[token]))

    def close_order(self, *, reference: str) -> None:
        """Agree; the page keeps no books and looks at what became of the deposit instead."""

    def read_event(self, *, body: bytes, headers: Mapping[str, str], at: datetime) -> Event:
        signature = headers.get(SIGNATURE_HEADER, "")
        _check_signature(body, signature, at)
        try:
            # As text: of bytes it would read UTF-16 too, which is kept as text with NULs.
            said = read_json(body.decode())
            return Event(
                reference=said["id"],
                kind=GatewayEvent.Kind(said["kind"]),
                order_reference=said.get("order", ""),
                payment_reference=said["payment"],
                case_reference=said.get("case", ""),
                amount_minor=said["amount_minor"],
                currency=said["currency"],
                body=body,
                source=GatewayEvent.Source.SIGNED,
                received_at=at,
                headers={SIGNATURE_HEADER: signature},
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableEvent(f"the event cannot be read: {error!r}") from error


def order_of(token: str) -> dict[str, Any]:
    """Return the order a page's address stands for; raise `BadSignature` for a made-up one."""
    try:
        facts: dict[str, Any] = signing.loads(token, salt=ORDER_SALT)
    except signing.BadSignature:
        raise BadSignature("no order of ours") from None
    return facts


def sign(body: bytes, *, at: float | None = None) -> str:
    """Return the header that goes with a body sent `at` a time (now)."""
    stamp = str(int(database_now().timestamp() if at is None else at))
    return f"t={stamp},v1={_mac(stamp, body, settings.SECRET_KEY)}"


def _check_signature(body: bytes, header: str, at: datetime) -> None:
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    stamp, mac = parts.get("t", ""), parts.get("v1", "")
    # Events signed before `SECRET_KEY` was rotated stay on record.
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    if not any(hmac.compare_digest(_mac(stamp, body, key).encode(), mac.encode()) for key in keys):
        raise BadSignature("the signature does not fit")
    # Only now is the stamp the gateway's own.
    if abs(at.timestamp() - int(stamp)) > TOLERANCE_SECONDS:
        raise BadSignature("the signature is too old")


def _mac(stamp: str, body: bytes, key: str) -> str:
    secret = salted_hmac("wallet.gateways.sandbox", "webhook", key, algorithm="sha256")
    return hmac.new(secret.digest(), stamp.encode() + b"." + body, sha256).hexdigest()
