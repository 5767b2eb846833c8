"""The known identity providers, and the one that documents are sent to."""

from __future__ import annotations

from typing import Final

from django.core.exceptions import ImproperlyConfigured

from config.environment import DEBUG, EPHEMERAL, env

# Each provider's class by the name used in webhook URLs and audit entries.
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
    """Return the provider that documents are sent to; "" if staff alone check them.

    The sandbox accepts every document, so only throw-away installations may use it.
    """
    provider: str = env.str("IDENTITY_PROVIDER", "sandbox" if EPHEMERAL or DEBUG else "")
    if provider and provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
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
