"""Identity providers: services that check documents, if the player agrees."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string

from players.exceptions import ProviderUnknown
from players.identity.models import IdentityCheck
from players.identity.providers.interface import Provider
from players.identity.providers.models import ProviderCheck

__all__ = ["Provider", "Sent", "provider_in_use", "provider_named", "sent_to"]


@dataclass(frozen=True)
class Sent:
    """The title of the provider that documents were sent to, and the state of its check."""

    provider: str
    check: ProviderCheck


def sent_to(check: IdentityCheck | None) -> Sent | None:
    """Return the provider that a check's documents were sent to; None if they were not sent."""
    row = ProviderCheck.objects.filter(identity_check=check, sent_at__isnull=False).first()
    return Sent(_provider(row.provider).title, row) if row else None


def provider_in_use() -> Provider | None:
    """Return the provider for new documents; None if only staff check them."""
    name = settings.IDENTITY_PROVIDER
    return _provider(name) if name else None


def provider_named(name: str) -> Provider:
    """Return a provider whose notices can be verified, even if it gets no new checks."""
    found = _provider(name) if name in settings.IDENTITY_PROVIDERS else None
    if found is None or not found.accepts_notices():
        raise ProviderUnknown(f"there is no identity provider {name!r}")
    return found


def _provider(name: str) -> Provider:
    made: Provider = import_string(settings.IDENTITY_PROVIDERS[name])()
    return made
