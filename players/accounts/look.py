"""Display settings of a browser: theme, suits, sound, vibration and phrases, kept in cookies."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

# Choices by cookie name; the first is the default.
CHOICES: Final = {
    "theme": (("system", _("Same as device")), ("light", _("Light")), ("dark", _("Dark"))),
    "suits": (("two", _("Two colours")), ("four", _("Four colours"))),
    "sound": (("off", _("Off")), ("on", _("On"))),
    "vibration": (("off", _("Off")), ("on", _("On"))),
    "phrases": (("shown", _("Shown")), ("muted", _("Muted"))),
}
KEPT: Final = timedelta(days=365)


def look(request: HttpRequest) -> dict[str, dict[str, str]]:
    """Return the browser's display settings for templates; unknown values are ignored."""
    return {"look": {name: _chosen(request, name) for name in CHOICES}}


def keep(answer: HttpResponse, name: str, value: str) -> None:
    """Store a setting in a cookie, which the table's JavaScript also reads and writes."""
    answer.set_cookie(
        name, value, max_age=KEPT, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )


def _chosen(request: HttpRequest, name: str) -> str:
    values = [value for value, _name in CHOICES[name]]
    kept = request.COOKIES.get(name, "")
    return kept if kept in values else values[0]
