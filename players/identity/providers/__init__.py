"""Identity providers: they look at documents for the house, if the player agrees to it."""

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
    """To whom documents were sent, as the player reads it, and what became of it."""

    provider: str
    check: ProviderCheck


def sent_to(check: IdentityCheck | None) -> Sent | None:
    """Return to whom the documents of a check were sent; None where they stayed in the house."""
    row = ProviderCheck.objects.filter(identity_check=check, sent_at__isnull=False).first()
    return Sent(_provider(row.provider).title, row) if row else None


def provider_in_use() -> Provider | None:
    """Return the provider that new documents are sent to; None where staff alone look."""
    name = settings.IDENTITY_PROVIDER
    return _provider(name) if name else None


def provider_named(name: str) -> Provider:
    """Return a provider, if its messages can be verified; it may be used for new checks or not."""
    found = _provider(name) if name in settings.IDENTITY_PROVIDERS else None
    if found is None or not found.is_heard():
        raise ProviderUnknown(f"there is no identity provider {name!r}")
    return found


def _provider(name: str) -> Provider:
    made: Provider = import_string(settings.IDENTITY_PROVIDERS[name])()
    return made
