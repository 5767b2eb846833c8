"""Payment gateways: those there are, the one in use, and the secrets of their webhooks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import DEBUG, EPHEMERAL, env

# Each gateway's name, as keys of the ledger and addresses of webhooks have it, and its class.
GATEWAYS: Final[dict[str, str]] = {
    "razorpay": "wallet.gateways.razorpay.RazorpayGateway",
    "sandbox": "wallet.gateways.sandbox.SandboxGateway",
}


def deposit_gateway() -> str:
    """Return the gateway deposits go through; "" for none. The sandbox makes money of nothing."""
    gateway: str = env.str("DEPOSIT_GATEWAY", "sandbox" if EPHEMERAL or DEBUG else "")
    if gateway and gateway not in GATEWAYS:
        raise ImproperlyConfigured(f"DEPOSIT_GATEWAY is {gateway!r}: one of {', '.join(GATEWAYS)}")
    if gateway == "sandbox" and not (EPHEMERAL or DEBUG):
        raise ImproperlyConfigured("DEPOSIT_GATEWAY=sandbox would credit money nobody paid")
    if gateway == "razorpay":
        for name in ("RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET"):
            if not env.str(name):  # Missing is fatal, and so is empty.
                raise ImproperlyConfigured(f"{name} is empty")
    return gateway


@dataclass(frozen=True)
class WebhookSecret:
    """What a gateway signs with; an old one is believed until a moment, or until it is removed."""

    text: str = field(repr=False)
    until: datetime | None = None


def webhook_secrets(name: str) -> list[WebhookSecret]:
    """Return the secrets of a webhook, the newest first: `new, old until 2026-12-01`."""
    found = []
    for part in env.str(name, "").split(","):
        text, _, until = part.strip().partition(" until ")
        if not text:
            continue
        try:
            moment = datetime.fromisoformat(until.strip()) if until else None
        except ValueError:
            raise ImproperlyConfigured(f"{name}: {until!r} is no date") from None
        if moment is not None and moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        found.append(WebhookSecret(text, moment))
    return found


def razorpay_secrets() -> list[WebhookSecret]:
    """Return the secrets of Razorpay's webhook; raise without the library that needs them."""
    found = webhook_secrets("RAZORPAY_WEBHOOK_SECRET")
    if found and find_spec("razorpay") is None:
        raise ImproperlyConfigured(
            "RAZORPAY_WEBHOOK_SECRET is set and the library `razorpay` is not installed: every "
            "event would fail. Install the extra `razorpay`, or unset the secret."
        )
    return found
