"""Which e-mail address of a player is known to be theirs."""

from __future__ import annotations

from allauth.account.models import EmailAddress

from players.models import User


def has_verified_email(player: User) -> bool:
    """Return whether the player has followed the link sent to their present address."""
    if player.email is None:
        return False
    mine = EmailAddress.objects.filter(user=player, verified=True)
    return mine.filter(email__iexact=player.email).exists()
