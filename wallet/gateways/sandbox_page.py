"""The sandbox gateway's payment page: the player's bank, and simulated faults."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views import View

from core.clock import database_now
from core.tasks import enqueue
from wallet.deposits.deposits import receive_event
from wallet.deposits.models import Deposit, GatewayEvent
from wallet.exceptions import WalletError
from wallet.gateways import gateway_named
from wallet.gateways.sandbox import SIGNATURE_HEADER, SandboxGateway, order_of, sign
from wallet.ledger.money import as_money

Kind = GatewayEvent.Kind
PAID, FAILED = Kind.PAID, Kind.FAILED


@dataclass(frozen=True)
class Sent:
    """An event the page sends: the payment of the order it is about, and its amount."""

    kind: str = PAID
    payment: int = 1
    surplus_minor: int = 0
    # The number of a refund or dispute, and its share of the payment.
    case: str = ""
    share: int = 1
    # The fee that the payer bears on top of the order, and its tax; what a lost dispute moved.
    fee_minor: int = 0
    tax_minor: int = 0
    moved_minor: int | None = None


# What each button does; the first two are the normal outcomes of a payment.
BUTTONS: dict[str, tuple[Any, tuple[Sent, ...]]] = {
    "pay": (_("Pay"), (Sent(),)),
    "decline": (_("Decline"), (Sent(FAILED),)),
    "silent": (_("Pay, but send no event yet"), ()),
    "twice": (_("Pay, and send the event twice"), (Sent(), Sent())),
    "backwards": (_("Pay, then report an earlier failed attempt"), (Sent(), Sent(FAILED, 0))),
    "short": (_("Pay 1.00 too little"), (Sent(surplus_minor=-100),)),
    "over": (_("Pay 1.00 too much"), (Sent(surplus_minor=100),)),
    "again": (_("Pay two times"), (Sent(), Sent(payment=2))),
    "fee": (_("Pay with a fee of 2.36 on top"), (Sent(fee_minor=200, tax_minor=36),)),
}
# Later events of a payment.
AFTERWARDS: dict[str, tuple[Any, tuple[Sent, ...]]] = {
    "dispute": (_("Dispute the payment"), (Sent(Kind.DISPUTE_OPEN, case="d1"),)),
    "lose": (_("Decide the dispute in favour of the payer"), (Sent(Kind.DISPUTE_LOST, case="d1"),)),
    "win": (_("Decide the dispute in favour of the site"), (Sent(Kind.DISPUTE_WON, case="d1"),)),
    "refund": (
        _("Refund the payment"),
        (Sent(Kind.REFUND_BEGUN, case="r1"), Sent(Kind.REFUND_DONE, case="r1")),
    ),
    "half": (_("Refund half of it"), (Sent(Kind.REFUND_DONE, case="r2", share=2),)),
}


class SandboxPayView(View):
    """Show an order, and send the events of the pressed button."""

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        order = _order(token)
        labels = [(name, label) for name, (label, _events) in BUTTONS.items()]
        context = {
            "amount": as_money(order["amount_minor"], order["currency"]),
            "buttons": labels[:2],
            "faults": labels[2:],
            "afterwards": [(name, label) for name, (label, _events) in AFTERWARDS.items()],
            "is_paid": _is_paid(order),
            "is_over": _is_over(order),
            "deposit": order["deposit"],
        }
        return render(request, "wallet/cashier/sandbox.html", context)

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        order = _order(token)
        name = request.POST.get("button", "")
        if name in AFTERWARDS and _is_paid(order):
            _send(order, AFTERWARDS[name][1])
        elif name in BUTTONS and not _is_over(order):
            _send(order, BUTTONS[name][1])
        else:
            return redirect(request.path)
        return redirect("deposit", public_id=order["deposit"])


def _send(order: dict[str, Any], events: tuple[Sent, ...]) -> None:
    """Enqueue the events for the process that receives webhooks."""
    if events:
        bodies = [body.decode() for body in event_bodies(order, events)]
        enqueue("wallet.deliver_sandbox_events", bodies)


def _is_over(order: dict[str, Any]) -> bool:
    given_up = Deposit.objects.filter(public_id=order["deposit"], status__in=Deposit.GIVEN_UP)
    return bool(database_now().timestamp() >= order["payable_until"]) or given_up.exists()


def _is_paid(order: dict[str, Any]) -> bool:
    paid = Deposit.objects.filter(public_id=order["deposit"], status=Deposit.Status.PAID)
    return paid.exists()


def _order(token: str) -> dict[str, Any]:
    try:
        gateway_named(SandboxGateway.name)
        return order_of(token)
    except WalletError:
        raise Http404 from None


def event_bodies(order: dict[str, Any], events: Iterable[Sent]) -> list[bytes]:
    """Return the bodies of events; the same event has the same bytes every time."""
    return [_body(order, event) for event in events]


def deliver(bodies: Iterable[bytes]) -> None:
    """Send signed events to the webhook service, as if they came over the network."""
    for body in bodies:
        headers = {SIGNATURE_HEADER: sign(body)}
        receive_event(provider=SandboxGateway.name, body=body, headers=headers)


def _body(order: dict[str, Any], event: Sent) -> bytes:
    amount_minor = order["amount_minor"] // event.share + event.surplus_minor
    amount_minor += event.fee_minor + event.tax_minor
    facts = f"{order['order']} {event.kind} {event.payment} {amount_minor} {event.case}".strip()
    name = order["order"].removeprefix("order_")
    said = {
        "id": f"evt_{sha256(facts.encode()).hexdigest()[:24]}",
        "kind": str(event.kind),
        "payment": f"pay_{name}_{event.payment}",
        "amount_minor": amount_minor,
        "currency": order["currency"],
    }
    apart = {"fee_minor": event.fee_minor, "tax_minor": event.tax_minor}
    said |= {name: minor for name, minor in apart.items() if minor}
    said |= {} if event.moved_minor is None else {"moved_minor": event.moved_minor}
    # As with real gateways, a refund or dispute names only the payment.
    said |= {"case": f"case_{name}_{event.case}"} if event.case else {"order": order["order"]}
    return json.dumps(said).encode()
