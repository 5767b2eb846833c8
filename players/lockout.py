"""Whom a failed sign-in is counted against."""

from __future__ import annotations

from typing import Any

from django.conf import settings
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


def client_address(request: HttpRequest) -> str:
    """Return the address a request came from, as the outermost of our own proxies saw it.

    Without proxies of ours the header is anybody's to write, and is not looked at.
    """
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    count: int = settings.TRUSTED_PROXY_COUNT
    if 0 < count <= len(hops) and hops[-count]:
        return hops[-count]
    return str(request.META.get("REMOTE_ADDR", ""))
