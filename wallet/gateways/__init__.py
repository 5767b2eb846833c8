"""Payment gateways: they take orders, show the player a page and send events."""

from __future__ import annotations

from django.conf import settings

from wallet.exceptions import CashNotOffered, GatewayUnknown
from wallet.gateways.interface import Event, Gateway, Order
from wallet.gateways.razorpay import RazorpayGateway
from wallet.gateways.sandbox import SandboxGateway

__all__ = ["Event", "Gateway", "Order", "gateway_for_deposits", "gateway_named"]

GATEWAYS: dict[str, type[Gateway]] = {
    SandboxGateway.name: SandboxGateway,
    RazorpayGateway.name: RazorpayGateway,
}


def gateway_for_deposits() -> Gateway:
    """Return the gateway for new orders."""
    if settings.DEPOSIT_GATEWAY not in GATEWAYS:
        raise CashNotOffered("Nothing can be paid in at the moment.")
    return GATEWAYS[settings.DEPOSIT_GATEWAY]()


def gateway_named(name: str) -> Gateway:
    """Return the gateway of this name, if its messages can be verified.

    Gateways without new orders are included: orders begun there are still paid.
    """
    gateway = GATEWAYS.get(name)
    if gateway is None or not gateway.is_heard():
        raise GatewayUnknown(f"there is no gateway {name!r}")
    return gateway()
