"""Lines of a gateway's settlement file, and the payments in them."""

from __future__ import annotations

from django.utils import timezone

from tests.builders.wallet.cashier_desk import make_deposit, order, tell
from wallet.gateways.sandbox_page import Sent


def pay(rupees=100, *events):
    """Let a player pay; return the gateway's reference and the charged amount in paise."""
    deposit = make_deposit(rupees)
    tell(deposit, *(events or (Sent(),)))
    facts = order(deposit)
    return f"pay_{facts['order'].removeprefix('order_')}_1", facts["amount_minor"]


def line(reference, minor, *, kind="payment", payment="", at=None):
    at = at or timezone.now()
    return f"{kind},{reference},{payment or reference},INR,{minor},{at.isoformat()}\n"
