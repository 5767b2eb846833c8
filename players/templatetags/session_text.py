"""Template filter for signed-in browsers."""

from __future__ import annotations

from typing import Final

from django import template

register = template.Library()

# Parts of user agents and their names; the first one contained in a user agent applies.
BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
SYSTEMS: Final = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


@register.filter
def device(user_agent: str) -> str:
    """Return the browser and the system of a user agent, or its beginning if both are unknown."""
    known = [
        next((name for part, name in names.items() if part in user_agent), "")
        for names in (BROWSERS, SYSTEMS)
    ]
    return " · ".join(filter(None, known)) or user_agent[:80]
