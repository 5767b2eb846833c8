"""The site's own origin: the scheme, host and port that browsers send in `Origin`.

For forms and sockets alike, the origin must be the request's own or one of `CSRF_TRUSTED_ORIGINS`.
`ALLOWED_HOSTS` lists only the site's hosts, without schemes and ports.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final

from channels.security.websocket import WebsocketDenier
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

SCHEMES: Final = {"ws": "http", "wss": "https"}


def is_own_origin(request: HttpRequest) -> bool:
    """Return whether a request's `Origin` is the site's; False if there is none."""
    if "HTTP_ORIGIN" not in request.META:
        return False
    try:
        request.get_host()
    except DisallowedHost:
        return False
    # A new instance each time, because it caches settings.
    is_verified: bool = CsrfViewMiddleware(_no_view)._origin_verified(request)  # type: ignore[attr-defined]
    return is_verified


class OwnOriginSocket:
    """An ASGI application that refuses handshakes from pages of other origins.

    Channels' `AllowedHostsOriginValidator` accepts every scheme and port of an allowed host, and
    browsers send a cookie to all ports of its host.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        application = self.application if _is_of_own_page(scope) else WebsocketDenier()
        await application(scope, receive, send)


def _is_of_own_page(scope: Any) -> bool:
    scheme = SCHEMES.get(scope.get("scheme", "ws"), "http")
    handshake = {**scope, "type": "http", "method": "GET", "scheme": scheme}
    return is_own_origin(ASGIRequest(handshake, BytesIO()))


def _no_view(_request: HttpRequest) -> HttpResponse:
    raise NotImplementedError  # Django's middleware requires a view even to check an origin.
