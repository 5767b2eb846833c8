"""Razorpay through its own library: a payment link for each deposit. Off by default.

Needs the extra `razorpay` and a webhook, created in Razorpay's dashboard, for the events of payment
links, refunds and disputes. Its signatures contain no time; an old event sent again finds the
payment's key used and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from moneyed import Money

from core.json_text import read_json
from wallet.deposits.models import GatewayEvent
from wallet.exceptions import (
    BadSignature,
    DepositNotOpen,
    EventIgnored,
    GatewayUnavailable,
    UnreadableEvent,
)
from wallet.gateways.interface import Event, Order
from wallet.ledger.money import minor_units

SIGNATURE_HEADER = "X-Razorpay-Signature"
EVENT_HEADER = "X-Razorpay-Event-Id"
TIMEOUT_SECONDS = 10
# Failed attempts are not reported: the link stays open until it is paid or expires.
KINDS = {
    "payment_link.paid": GatewayEvent.Kind.PAID,
    "payment_link.cancelled": GatewayEvent.Kind.CLOSED,
    "payment_link.expired": GatewayEvent.Kind.CLOSED,
    "refund.created": GatewayEvent.Kind.REFUND_BEGUN,
    "refund.processed": GatewayEvent.Kind.REFUND_DONE,
    "refund.failed": GatewayEvent.Kind.REFUND_FAILED,
    "payment.dispute.created": GatewayEvent.Kind.DISPUTE_OPEN,
    "payment.dispute.under_review": GatewayEvent.Kind.DISPUTE_OPEN,
    "payment.dispute.action_required": GatewayEvent.Kind.DISPUTE_OPEN,
    "payment.dispute.won": GatewayEvent.Kind.DISPUTE_WON,
    # Closed without a loss: an inquiry without result.
    "payment.dispute.closed": GatewayEvent.Kind.DISPUTE_WON,
    "payment.dispute.lost": GatewayEvent.Kind.DISPUTE_LOST,
}
LOST = GatewayEvent.Kind.DISPUTE_LOST
REFUNDS = (
    GatewayEvent.Kind.REFUND_BEGUN,
    GatewayEvent.Kind.REFUND_DONE,
    GatewayEvent.Kind.REFUND_FAILED,
)


class RazorpayGateway:
    name: ClassVar[str] = "razorpay"

    @staticmethod
    def accepts_events() -> bool:
        return bool(settings.GATEWAY_WEBHOOK_SECRETS["razorpay"])

    def open_order(self, *, deposit: UUID, amount: Money, payable_until: datetime) -> Order:
        asked: dict[str, Any] = {
            "amount": minor_units(amount),
            "currency": amount.currency.code,
            "reference_id": str(deposit),
            "accept_partial": False,
            "expire_by": int(payable_until.timestamp()),
        }
        if settings.PUBLIC_URL:
            # Not trusted: the deposit's page shows what the webhook reported.
            back = f"{settings.PUBLIC_URL}{reverse('deposit', args=[deposit])}"
            asked |= {"callback_url": back, "callback_method": "get"}
        with _asking() as client:
            link = client.payment_link.create(asked, timeout=TIMEOUT_SECONDS)
        if not str(link.get("short_url", "")).startswith("https://") or "id" not in link:
            raise GatewayUnavailable(_("The payment page is not available. Try again later."))
        return Order(reference=link["id"], pay_url=link["short_url"])

    def close_order(self, *, reference: str) -> None:
        from razorpay.errors import BadRequestError

        with _asking() as client:
            try:
                client.payment_link.cancel(reference, timeout=TIMEOUT_SECONDS)
            except BadRequestError as error:  # Paid or expired; an event reports which.
                raise DepositNotOpen(
                    _("This payment can no longer be cancelled. It may be complete.")
                ) from error

    def read_event(self, *, body: bytes, headers: Mapping[str, str], at: datetime) -> Event:
        _check_signature(body, headers.get(SIGNATURE_HEADER, ""), at)
        try:
            # As text: bytes would also be decoded as UTF-16, and stored as text with NULs.
            said = read_json(body.decode())
            if said["event"] not in KINDS:
                raise EventIgnored(f"{said['event']} does not concern a deposit")
            return _event(KINDS[said["event"]], said["payload"], body, headers, at)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableEvent(f"the event cannot be read: {error!r}") from error


def _event(
    kind: GatewayEvent.Kind, payload: Any, body: bytes, headers: Mapping[str, str], at: datetime
) -> Event:
    facts: dict[str, Any] = {
        "reference": headers.get(EVENT_HEADER, ""),
        "kind": kind,
        "body": body,
        "source": GatewayEvent.Source.SIGNED,
        "received_at": at,
        "headers": {name: headers.get(name, "") for name in (SIGNATURE_HEADER, EVENT_HEADER)},
    }
    if kind in GatewayEvent.RETURNS:
        about = payload["refund" if kind in REFUNDS else "dispute"]["entity"]
        return Event(
            **facts,
            order_reference="",
            payment_reference=about["payment_id"],
            case_reference=about["id"],
            amount_minor=about["amount"],
            currency=about["currency"],
            # Zero until a dispute is lost, and absent from older events.
            moved_minor=about.get("amount_deducted") if kind == LOST else None,
        )
    link = payload["payment_link"]["entity"]
    # An expired link has no payment.
    paid = payload["payment"]["entity"] if kind == GatewayEvent.Kind.PAID else link
    fee_minor, tax_minor = _borne_by_payer(paid, link["amount"])
    return Event(
        **facts,
        fee_minor=fee_minor,
        tax_minor=tax_minor,
        order_reference=link["id"],
        payment_reference=paid["id"],
        amount_minor=paid["amount"],
        currency=paid["currency"],
    )


def _borne_by_payer(paid: Any, ordered_minor: int) -> tuple[int, int]:
    """Return the gateway's fee that is part of a payment, without its tax, and the tax.

    Where the payer bears the fee, the payment is the order and the fee, and `fee` includes `tax`.
    An amount above that is no fee. With a shared fee, the tax is divided in proportion.
    """
    if paid.get("fee_bearer") != "customer":
        return 0, 0
    borne, fee, tax = paid["amount"] - ordered_minor, paid["fee"], paid.get("tax") or 0
    if not (0 < borne <= fee and 0 <= tax <= fee):
        return 0, 0
    tax_part = tax * borne // fee
    return borne - tax_part, tax_part


@contextmanager
def _asking() -> Iterator[Any]:
    """Yield the library's client; translate its errors to `GatewayUnavailable`."""
    # The library is an optional dependency.
    import razorpay
    from razorpay import errors
    from requests import RequestException

    keys = settings.GATEWAY_KEYS
    client = razorpay.Client(auth=(keys["RAZORPAY_KEY_ID"], keys["RAZORPAY_KEY_SECRET"]))
    try:
        yield client
    except (
        errors.BadRequestError,
        errors.GatewayError,
        errors.ServerError,
        RequestException,
    ) as error:
        raise GatewayUnavailable(
            _("The payment partner is not available. Try again later.")
        ) from error


def _check_signature(body: bytes, signature: str, at: datetime) -> None:
    secrets = [
        secret.text
        for secret in settings.GATEWAY_WEBHOOK_SECRETS["razorpay"]
        if secret.until is None or at < secret.until
    ]
    if not secrets:  # The library may not be installed.
        raise BadSignature("no secret is listed for that time")
    import razorpay
    from razorpay.errors import SignatureVerificationError

    # The library compares texts and fails on non-ASCII characters.
    said = signature.encode("ascii", "replace").decode()
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise BadSignature("the signature does not match") from None
    # Messages signed before a change of the secret are resent with the old signature.
    for secret in secrets:
        try:
            razorpay.Client().utility.verify_webhook_signature(text, said, secret)
        except SignatureVerificationError:
            continue
        return
    raise BadSignature("the signature does not match")
