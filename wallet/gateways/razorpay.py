"""Razorpay through its own library: a payment link for each deposit. Off unless chosen.

Needs the extra `razorpay` and, made in Razorpay's dashboard, a webhook for the events of payment
links. Its signatures carry no time; an old event sent again meets the payment's key and changes
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from moneyed import Money

from wallet.exceptions import BadSignature, EventIgnored, GatewayUnavailable, UnreadableEvent
from wallet.gateways.interface import Event, Order
from wallet.models import GatewayEvent
from wallet.money import minor_units

SIGNATURE_HEADER = "X-Razorpay-Signature"
EVENT_HEADER = "X-Razorpay-Event-Id"
TIMEOUT_SECONDS = 10
# A failed attempt leaves the link open, so only the end of the link is a failure.
KINDS = {
    "payment_link.paid": GatewayEvent.Kind.PAID,
    "payment_link.cancelled": GatewayEvent.Kind.FAILED,
    "payment_link.expired": GatewayEvent.Kind.FAILED,
}


class RazorpayGateway:
    name: ClassVar[str] = "razorpay"

    def open_order(self, *, deposit: UUID, amount: Money, payable_until: datetime) -> Order:
        asked: dict[str, Any] = {
            "amount": minor_units(amount),
            "currency": amount.currency.code,
            "reference_id": str(deposit),
            "accept_partial": False,
            "expire_by": int(payable_until.timestamp()),
        }
        if settings.PUBLIC_URL:
            # What it says there is not believed: the deposit's page tells what the webhook told.
            back = f"{settings.PUBLIC_URL}{reverse('deposit', args=[deposit])}"
            asked |= {"callback_url": back, "callback_method": "get"}
        link = self._create_link(asked)
        if not str(link.get("short_url", "")).startswith("https://") or "id" not in link:
            raise GatewayUnavailable("The payment page could not be made. Try again later.")
        return Order(reference=link["id"], pay_url=link["short_url"])

    def read_event(self, *, body: bytes, headers: Mapping[str, str]) -> Event:
        _check_signature(body, headers.get(SIGNATURE_HEADER, ""))
        try:
            said = json.loads(body)
            if said["event"] not in KINDS:
                raise EventIgnored(f"{said['event']} is not about a payment link")
            link = said["payload"]["payment_link"]["entity"]
            kind = KINDS[said["event"]]
            # Of a link that ended unpaid there is no payment to name.
            paid = said["payload"]["payment"]["entity"] if kind == "paid" else link
            return Event(
                reference=headers.get(EVENT_HEADER, ""),
                kind=kind,
                order_reference=link["id"],
                payment_reference=paid["id"],
                amount_minor=paid["amount"],
                currency=paid["currency"],
                body=body.decode(),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableEvent(f"the event cannot be read: {error!r}") from error

    def _create_link(self, asked: dict[str, Any]) -> dict[str, Any]:
        # The library is an extra: who does not use it need not have it.
        import razorpay
        from razorpay import errors
        from requests import RequestException

        client = razorpay.Client(auth=(settings.RAZORPAY_KEY_ID, settings.RAZORPAY_KEY_SECRET))
        try:
            link: dict[str, Any] = client.payment_link.create(asked, timeout=TIMEOUT_SECONDS)
        except (
            errors.BadRequestError,
            errors.GatewayError,
            errors.ServerError,
            RequestException,
        ) as error:
            raise GatewayUnavailable(
                "The payment page could not be made. Try again later."
            ) from error
        return link


def _check_signature(body: bytes, signature: str) -> None:
    import razorpay
    from razorpay.errors import SignatureVerificationError

    secret = settings.RAZORPAY_WEBHOOK_SECRET
    try:
        utility = razorpay.Client().utility
        # Its library compares texts and stumbles over what is not ASCII.
        said = signature.encode("ascii", "replace").decode()
        utility.verify_webhook_signature(body.decode(), said, secret)
    except (SignatureVerificationError, UnicodeDecodeError):
        raise BadSignature("the signature does not fit") from None
