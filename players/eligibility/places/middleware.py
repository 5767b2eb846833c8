"""Holds the address of each player's request against the place of their account."""

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
    """Notices a disagreement before the view asks what the player may do; off without a file.

    Reading the file takes some microseconds. The database is asked where an address disagrees or
    has no known region.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not geoip.is_configured():
            raise MiddlewareNotUsed
        geoip.log_contents()
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Strangers have no place. Programs with a token never play for money.
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            player = request.user
            if isinstance(player, User) and player.is_authenticated:
                notice(player, client_address(request))
        return self.get_response(request)
