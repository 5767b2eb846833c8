"""Payment gateways and identity providers: the known ones, those in use, and their secrets."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import DEBUG, EPHEMERAL, env


@dataclass(frozen=True)
class Known:
    """A known gateway: its class, and the variables it needs for orders."""

    path: str
    keys: tuple[str, ...] = ()
    # The variable of the secrets with which it signs its events.
    webhook: str = ""
    # The library it needs; the extra of the same name installs it.
    library: str = ""


# By the name used in ledger keys and webhook URLs.
GATEWAYS: Final[dict[str, Known]] = {
    "razorpay": Known(
        "wallet.gateways.razorpay.RazorpayGateway",
        keys=("RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET"),
        webhook="RAZORPAY_WEBHOOK_SECRET",
        library="razorpay",
    ),
    "sandbox": Known("wallet.gateways.sandbox.SandboxGateway"),
}


def deposit_gateway() -> str:
    """Return the gateway of deposits; "" for none. The sandbox credits deposits without payment."""
    gateway: str = env.str("DEPOSIT_GATEWAY", "sandbox" if EPHEMERAL or DEBUG else "")
    if gateway and gateway not in GATEWAYS:
        raise ImproperlyConfigured(f"DEPOSIT_GATEWAY is {gateway!r}: one of {', '.join(GATEWAYS)}")
    if gateway == "sandbox" and not (EPHEMERAL or DEBUG):
        raise ImproperlyConfigured(
            "DEPOSIT_GATEWAY=sandbox credits deposits without payment; it is for demos only"
        )
    known = GATEWAYS[gateway] if gateway else Known("")
    for name in filter(None, (*known.keys, known.webhook)):
        if not env.str(name):  # Raise for a missing or empty variable.
            raise ImproperlyConfigured(f"{name} is empty")
    return gateway


def keys() -> dict[str, str]:
    """Return the keys of all gateways by variable name; "" for one that is not set."""
    return {name: env.str(name, "") for known in GATEWAYS.values() for name in known.keys}


@dataclass(frozen=True)
class WebhookSecret:
    """A gateway's signing secret; a retired one is accepted until a moment or its removal."""

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
            raise ImproperlyConfigured(f"{name}: {until!r} is not a date") from None
        if moment is not None and moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        found.append(WebhookSecret(text, moment))
    return found


def all_webhook_secrets() -> dict[str, list[WebhookSecret]]:
    """Return each gateway's webhook secrets; raise if the library that verifies is missing."""
    found = {}
    for gateway, known in GATEWAYS.items():
        found[gateway] = webhook_secrets(known.webhook) if known.webhook else []
        if found[gateway] and known.library and find_spec(known.library) is None:
            raise ImproperlyConfigured(
                f"{known.webhook} is set and the library `{known.library}` is not installed: every "
                f"event would fail. Install the extra `{known.library}`, or unset the secret."
            )
    return found


# The class of each identity provider by the name used in webhook URLs and audit entries.
IDENTITY_PROVIDERS: Final[dict[str, str]] = {
    "sandbox": "players.identity.providers.sandbox.SandboxProvider",
    "sumsub": "players.identity.providers.sumsub.SumsubProvider",
}
SUMSUB_NAMES: Final = (
    "SUMSUB_APP_TOKEN",
    "SUMSUB_SECRET_KEY",
    "SUMSUB_LEVEL",
    "SUMSUB_WEBHOOK_SECRET",
)


def identity_provider() -> str:
    """Return the provider that documents are sent to; "" if staff alone check them.

    The sandbox accepts every document, so only throw-away installations may use it.
    """
    provider: str = env.str("IDENTITY_PROVIDER", "sandbox" if EPHEMERAL or DEBUG else "")
    if provider and provider not in IDENTITY_PROVIDERS:
        known = ", ".join(IDENTITY_PROVIDERS)
        raise ImproperlyConfigured(f"IDENTITY_PROVIDER is {provider!r}: one of {known}")
    if provider == "sandbox" and not (EPHEMERAL or DEBUG):
        raise ImproperlyConfigured(
            "IDENTITY_PROVIDER=sandbox accepts every document; it is for demos only"
        )
    if provider == "sumsub":
        for name in SUMSUB_NAMES:
            if not env.str(name, ""):
                raise ImproperlyConfigured(f"{name} is empty")
    return provider
