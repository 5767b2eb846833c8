"""Whom a failed sign-in is counted against."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


def attempted_email(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str | None:
    """Return the e-mail that was tried, in one spelling, from whichever form sent it.

    The players' form calls the field `login`, the staff's `username`, and the back end `email`.
    """
    for source in (credentials or {}, request.POST):
        for field in ("email", "username", "login"):
            if source.get(field):
                return str(source[field]).strip().casefold()
    return None
