"""Compare the IP address of each player's request with the place of their account."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase

from core.addresses import client_address
from players.accounts.models import User
from players.eligibility.places import geoip
from players.eligibility.places.doubts import notice


class PlaceMiddleware:
    """Record a mismatch before the view checks what the player may do; off without a file.

    Reading the file takes some microseconds. The database is queried only if an address disagrees
    or has no known region.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not geoip.is_configured():
            raise MiddlewareNotUsed
        geoip.log_contents()
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Anonymous visitors have no place. API tokens cannot be used to play for money.
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            player = request.user
            if isinstance(player, User) and player.is_authenticated:
                notice(player, client_address(request))
        return self.get_response(request)
