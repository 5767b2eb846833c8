"""Which e-mail address of a player is known to be theirs, and who has returned under it."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings

from core.keyed_hashes import keyed_hash
from players.accounts.models import User


def has_verified_email(player: User) -> bool:
    """Return whether the player has followed the link sent to their present address."""
    if player.email is None:
        return False
    mine = EmailAddress.objects.filter(user=player, verified=True)
    found: bool = mine.filter(email__iexact=player.email).exists()
    return found


def email_hash(email: str) -> str:
    """Return what is kept of the address of a closed account whose limits outlast it."""
    return _keyed(settings.SECRET_KEY, email)


def email_hashes(player: User) -> list[str]:
    """Return what may have been kept of the player's address, verified or not."""
    if not player.email:
        return []
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [_keyed(key, player.email) for key in keys]


def _keyed(key: str, email: str) -> str:
    return keyed_hash(key, f"closed account:{email.strip().casefold()}")
