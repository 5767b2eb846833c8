"""A gateway for demos and tests that behaves like a real one, including its faults.

Its page (wallet/gateways/sandbox_page.py) plays the player's bank; its events are signed and read
like those of any gateway.
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
# The maximum age of a signature; an event sent again is signed again.
TOLERANCE_SECONDS = 300
ORDER_SALT = "wallet.gateways.sandbox.order"


class SandboxGateway:
    name: ClassVar[str] = "sandbox"

    @staticmethod
    def accepts_events() -> bool:
        """Return whether it accepts new orders, because its payments are not real money."""
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
        # The page stores nothing: its URL contains the signed order.
        token = signing.dumps(facts, salt=ORDER_SALT)
        return Order(reference=reference, pay_url=reverse("sandbox-pay", args=[token]))

    def close_order(self, *, reference: str) -> None:
        """Accept; the page stores nothing and reads the deposit's status instead."""

    def read_event(self, *, body: bytes, headers: Mapping[str, str], at: datetime) -> Event:
        signature = headers.get(SIGNATURE_HEADER, "")
        _check_signature(body, signature, at)
        try:
            # As text: json.loads would also decode bytes as UTF-16, and text with NULs would be
            # stored.
            said = read_json(body.decode())
            return Event(
                reference=said["id"],
                kind=GatewayEvent.Kind(said["kind"]),
                order_reference=said.get("order", ""),
                payment_reference=said["payment"],
                case_reference=said.get("case", ""),
                amount_minor=said["amount_minor"],
                currency=said["currency"],
                fee_minor=said.get("fee_minor", 0),
                tax_minor=said.get("tax_minor", 0),
                moved_minor=said.get("moved_minor"),
                body=body,
                source=GatewayEvent.Source.SIGNED,
                received_at=at,
                headers={SIGNATURE_HEADER: signature},
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableEvent(f"the event cannot be read: {error!r}") from error


def order_of(token: str) -> dict[str, Any]:
    """Return the order in a page's URL; raise `BadSignature` for a forged one."""
    try:
        facts: dict[str, Any] = signing.loads(token, salt=ORDER_SALT)
    except signing.BadSignature:
        raise BadSignature("not a sandbox order") from None
    return facts


def sign(body: bytes, *, at: float | None = None) -> str:
    """Return the signature header for a body sent at a time (default: now)."""
    stamp = str(int(database_now().timestamp() if at is None else at))
    return f"t={stamp},v1={_mac(stamp, body, settings.SECRET_KEY)}"


def _check_signature(body: bytes, header: str, at: datetime) -> None:
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    stamp, mac = parts.get("t", ""), parts.get("v1", "")
    # Events signed before `SECRET_KEY` was rotated stay on record.
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    if not any(hmac.compare_digest(_mac(stamp, body, key).encode(), mac.encode()) for key in keys):
        raise BadSignature("the signature does not match")
    # The time is trusted only after the signature was verified.
    if abs(at.timestamp() - int(stamp)) > TOLERANCE_SECONDS:
        raise BadSignature("the signature is too old")


def _mac(stamp: str, body: bytes, key: str) -> str:
    secret = salted_hmac("wallet.gateways.sandbox", "webhook", key, algorithm="sha256")
    return hmac.new(secret.digest(), stamp.encode() + b"." + body, sha256).hexdigest()
