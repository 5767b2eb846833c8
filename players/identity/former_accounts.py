"""The closed accounts of a person who has returned: their breaks and limits go on."""

from __future__ import annotations

from players.accounts.models import User
from players.accounts.verified_email import email_hashes, has_verified_email
from players.identity.tax_number_models import TaxNumber


def former_accounts(player: User) -> list[int]:
    """Return the keys of closed accounts that had the player's PAN or verified address.

    Addresses are found while the key they were closed under is in use or among
    `SECRET_KEY_FALLBACKS`.
    """
    found = list(TaxNumber.objects.former_of(player).values_list("player", flat=True))
    if has_verified_email(player):
        closed = User.objects.filter(closed_email_hash__in=email_hashes(player))
        found += closed.exclude(pk=player.pk).values_list("pk", flat=True)
    return found
