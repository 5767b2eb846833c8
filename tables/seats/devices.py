"""A browser's lasting cookie, which distinguishes one device from several of one network."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from core.addresses import client_address
from tables.seats.origins import Origin

COOKIE: Final = "device"
COOKIE_BYTES: Final = 16
KEPT: Final = timedelta(days=400)
LONGEST: Final = 64


def origin_of(request: HttpRequest) -> Origin:
    """Return where a request comes from; nothing of it is kept but keyed hashes."""
    return Origin(client_address(request), request.COOKIES.get(COOKIE, "")[:LONGEST])


class DeviceMiddleware(MiddlewareMixin):
    """Gives a browser its cookie with the first answer to a player, of pages and the API alike.

    So it has one before a second account can sit down. Strangers get none.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if COOKIE not in request.COOKIES and _is_for_a_player(request):
            response.set_cookie(
                COOKIE,
                secrets.token_urlsafe(COOKIE_BYTES),
                max_age=KEPT,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response


def _is_for_a_player(request: HttpRequest) -> bool:
    """Return whether the answer is for somebody who is signed in, and looked at who they are."""
    return request.session.accessed and request.user.is_authenticated
