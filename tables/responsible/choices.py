"""How often a player is reminded of time and results of play."""

from __future__ import annotations

from players.accounts.models import User


def choose_reality_check(*, player: User, minutes: int) -> None:
    """Save the reminder interval in minutes, 0 for never; it applies to tables opened later."""
    User.objects.filter(pk=player.pk).update(reality_check_minutes=minutes)
    player.reality_check_minutes = minutes
