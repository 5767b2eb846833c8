"""Read a player's pages from the replica once it has replayed that player's own writes.

The position in the write-ahead log after a player's last request that may have written is kept for
a minute; until the replica has replayed it, the player's pages are read from the primary.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, Final

from django.core.cache import cache
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from redis import RedisError

from core.db import replica

READS: Final = ("GET", "HEAD")
KEPT_SECONDS: Final = 60
BEGINNING: Final = "0/0"

View = Callable[..., HttpResponseBase]


class OwnWritesMiddleware:
    """Store the log position after each request of a player that may have written."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not replica.is_configured():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method not in READS and request.user.is_authenticated:
            # Without Redis it cannot be read either; then the replica must have replayed all
            # commits.
            with suppress(RedisError):
                cache.set(_key(request), replica.present_position(), KEPT_SECONDS)
        return response


def from_replica(view: View, *, of_everybody: bool = False) -> View:
    """Let a view read from the replica; if the replica fails meanwhile, run it on the primary.

    A player's view sees that player's own writes; a view of public data sees all commits up to the
    request.
    """

    @wraps(view)
    def reading(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method not in READS or not replica.is_configured():
            return view(request, *args, **kwargs)
        position = None if of_everybody else _own_position(request)
        with replica.reads_from_replica(after=position) as is_replica:
            try:
                return _answered(view(request, *args, **kwargs))
            except replica.LOST as error:
                if not is_replica:
                    raise
                replica.leave_alone(error)
        return view(request, *args, **kwargs)

    return reading


def _own_position(request: HttpRequest) -> str | None:
    """Return the log position after the player's last write, None if it is unknown."""
    if not request.user.is_authenticated:
        return BEGINNING
    try:
        position: str = cache.get(_key(request), BEGINNING)
    except RedisError:
        return None
    return position


def _answered(response: HttpResponseBase) -> HttpResponseBase:
    """Render a response now; parts of a streamed one are read from the replica too."""
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = replica.kept_reading(iter(response))
    elif callable(render := getattr(response, "render", None)):
        render()
    return response


def _key(request: HttpRequest) -> str:
    return f"written:{request.user.pk}"
