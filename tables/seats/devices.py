"""A persistent cookie that distinguishes one browser from others on the same network."""

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
    """Return the origin of a request; only keyed hashes of it are stored."""
    return Origin(client_address(request), request.COOKIES.get(COOKIE, "")[:LONGEST])


class DeviceMiddleware(MiddlewareMixin):
    """Set the device cookie with the first response to a signed-in player, on pages and the API.

    So it is set before a second account can sit down. Visitors get none.
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
    """Return whether the response is for a signed-in player, and its view used the session."""
    return request.session.accessed and request.user.is_authenticated
