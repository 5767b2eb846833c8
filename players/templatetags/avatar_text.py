"""Template filter for avatars."""

from __future__ import annotations

from django import template

from players.accounts.avatars import Avatar

register = template.Library()


@register.filter
def avatar(name: str) -> Avatar:
    """Return the avatar with this name, for `players/_avatar.html`."""
    return Avatar(name)
