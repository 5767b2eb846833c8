"""A browser's lasting cookie: what tells two seats of one device from two of one network."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from players.addresses import client_address
from tables.services.origins import Origin

COOKIE: Final = "device"
COOKIE_BYTES: Final = 16
KEPT: Final = timedelta(days=400)
LONGEST: Final = 64


def origin_of(request: HttpRequest) -> Origin:
    """Return where a request comes from; nothing of it is kept but keyed hashes."""
    return Origin(client_address(request), request.COOKIES.get(COOKIE, "")[:LONGEST])


def keep_device(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Give the browser its cookie if it has none."""
    if COOKIE not in request.COOKIES:
        response.set_cookie(
            COOKIE,
            secrets.token_urlsafe(COOKIE_BYTES),
            max_age=KEPT,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response
