"""Identity providers: those there are, and the one that documents are sent to."""

from __future__ import annotations

from typing import Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import DEBUG, EPHEMERAL, env

# Each provider's name, as webhooks' addresses and audit entries have it, and its class.
PROVIDERS: Final[dict[str, str]] = {
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
    """Return the provider that documents are sent to; "" for none: staff look at them.

    The sandbox verifies whoever asks, so only throw-away installations have it.
    """
    provider: str = env.str("IDENTITY_PROVIDER", "sandbox" if EPHEMERAL or DEBUG else "")
    if provider and provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise ImproperlyConfigured(f"IDENTITY_PROVIDER is {provider!r}: one of {known}")
    if provider == "sandbox" and not (EPHEMERAL or DEBUG):
        raise ImproperlyConfigured("IDENTITY_PROVIDER=sandbox would verify whoever asks")
    if provider == "sumsub":
        for name in SUMSUB_NAMES:
            if not env.str(name, ""):
                raise ImproperlyConfigured(f"{name} is empty")
    return provider
