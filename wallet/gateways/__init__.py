"""Payment gateways: they open orders, show the player a payment page and send events."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string

from players.exceptions import CashNotOffered
from wallet.exceptions import GatewayUnknown
from wallet.gateways.interface import Event, Gateway, Order

__all__ = [
    "Event",
    "Gateway",
    "Order",
    "gateway_for_deposits",
    "gateway_named",
    "gateway_on_record",
]


def gateway_for_deposits() -> Gateway:
    """Return the gateway for new orders."""
    if settings.DEPOSIT_GATEWAY not in settings.GATEWAYS:
        raise CashNotOffered("Deposits are not available at the moment.")
    return _gateway(settings.DEPOSIT_GATEWAY)


def gateway_named(name: str) -> Gateway:
    """Return the gateway with this name, if its events can be verified.

    Includes gateways without new orders, because earlier orders can still be paid.
    """
    gateway = _gateway(name) if name in settings.GATEWAYS else None
    if gateway is None or not gateway.accepts_events():
        raise GatewayUnknown(f"there is no gateway {name!r}")
    return gateway


def gateway_on_record(name: str) -> Gateway:
    """Return a gateway to verify stored events, even if it sends no more of them."""
    if name not in settings.GATEWAYS:
        raise GatewayUnknown(f"there is no gateway {name!r}")
    return _gateway(name)


def _gateway(name: str) -> Gateway:
    made: Gateway = import_string(settings.GATEWAYS[name])()
    return made
