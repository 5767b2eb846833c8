"""How often a player wants to be reminded of what play came to."""

from __future__ import annotations

from players.accounts.models import User


def choose_reality_check(*, player: User, minutes: int) -> None:
    """Keep the interval, 0 for never; the next table opened reminds by it."""
    User.objects.filter(pk=player.pk).update(reality_check_minutes=minutes)
    player.reality_check_minutes = minutes
