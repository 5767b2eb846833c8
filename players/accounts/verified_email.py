"""Verified e-mail addresses of players, and the hashes kept for closed accounts."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db.models import QuerySet

from core.keyed_hashes import keyed_hash
from players.accounts.models import User


def has_verified_email(player: User) -> bool:
    """Return whether the player has verified their current address."""
    found: bool = current_addresses(player).exists()
    return found


def current_addresses(player: User) -> QuerySet[EmailAddress]:
    """Return the row of the player's current address if it is verified."""
    mine: QuerySet[EmailAddress] = EmailAddress.objects.filter(user=player, verified=True)
    return mine.none() if player.email is None else mine.filter(email__iexact=player.email)


def address_for_codes(user: Any) -> str:
    """Return the account's verified address, the primary one first, else `email`; "" for guests.

    The address of an account that staff created may be unverified.
    """
    verified = EmailAddress.objects.filter(user=user, verified=True)
    best = verified.order_by("-primary", "pk").values_list("email", flat=True).first()
    return str(best or user.email or "")


def email_hash(email: str) -> str:
    """Return the keyed hash that is kept for a closed account with limits still in force."""
    return _keyed(settings.SECRET_KEY, email)


def email_hashes(player: User) -> list[str]:
    """Return the player's address hashed with each secret key; the address may be unverified."""
    if not player.email:
        return []
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [_keyed(key, player.email) for key in keys]


def _keyed(key: str, email: str) -> str:
    return keyed_hash(key, f"closed account:{email.strip().casefold()}")
