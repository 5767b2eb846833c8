"""All of a player's games as one stream of lines over HTTP, for programs that use no sockets.

Each line is a message as sent by a table's socket; a view names its table. Streams use the same
broadcasters as sockets, so both show the same information.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import structlog
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import Error as AnyDatabaseError
from django.db import close_old_connections
from django.http import StreamingHttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse, extend_schema
from redis import RedisError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from core.api.openapi import refusal
from core.http.own_origin import is_own_origin
from players.accounts.api import PlayerAPIView
from players.accounts.models import User
from players.sign_in.sessions import SessionStore, TokenSession
from tables.exceptions import ForeignOrigin, NotStreamedHere, TooManyStreams
from tables.models.tables import Table
from tables.play.api import SIGN_IN
from tables.play.running import held_by
from tables.sockets.broadcaster import (
    Message,
    Said,
    Subscriber,
    TableBroadcaster,
    Update,
    broadcaster_of,
    still_signed_in,
)
from tables.sockets.socket_limits import error_text
from wallet.ledger.money import PLAY_POINTS

CONTENT_TYPE: Final = "application/x-ndjson"
# How often a stream checks for new games of its player, in seconds: change messages reach only
# existing subscribers, and the session has to be checked regularly anyway.
LOOK_SECONDS: Final = 2.0
# The longest time between two lines; an empty line is sent if nothing happens.
HEARTBEAT_SECONDS: Final = 15.0
HEARTBEAT: Final = "\n"

log = structlog.get_logger(__name__)

_open: Final[Counter[int]] = Counter()


class LineRenderer(JSONRenderer):
    """Lets `Accept` name the stream's type; refusals are still problem details."""

    media_type = CONTENT_TYPE
    format = "ndjson"


class StreamView(PlayerAPIView):
    """Stream the caller's games as they change: one view per line, empty lines as heartbeats.

    The stream starts with the view of each running game, adds games that begin later, sends a
    game's last view, and ends with the session or token that opened it.
    """

    renderer_classes = (JSONRenderer, LineRenderer)

    @extend_schema(
        operation_id="stream_games",
        responses={
            (200, CONTENT_TYPE): OpenApiResponse(
                {"type": "string"}, 'Lines like a socket\'s messages: {"type": "view", …}.'
            ),
            403: SIGN_IN,
            421: OpenApiResponse(refusal(), "This server cannot stream responses."),
            429: OpenApiResponse(refusal(), "Too many requests, or too many streams."),
        },
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        if "Origin" in request.headers and not is_own_origin(request._request):
            raise ForeignOrigin(
                _("Streams can be opened only by pages of this site and by programs.")
            )
        if not isinstance(request._request, ASGIRequest):
            raise NotStreamedHere(
                _("This server cannot stream. Use the address of the tables' sockets.")
            )
        player = User.objects.get(pk=self.player.pk)
        if _open[player.pk] >= settings.STREAMS_PER_PLAYER:
            raise TooManyStreams(_("Close one of your other streams first."))
        session = cast(SessionStore, request._request.session)
        subscriber = Subscriber(player, session, language=translation.get_language() or "en")
        answer = StreamingHttpResponse(
            GameStream(subscriber).lines(), content_type=f"{CONTENT_TYPE}; charset=utf-8"
        )
        # Otherwise nginx would buffer many lines.
        answer.headers["X-Accel-Buffering"] = "no"
        return answer


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """One table in a stream, with its own subscriber."""

    broadcaster: TableBroadcaster
    subscriber: Subscriber


class GameStream:
    """The lines of one stream; `lines` may be read once."""

    def __init__(self, viewer: Subscriber) -> None:
        self._viewer = viewer
        self._followed: dict[int, _Followed] = {}
        # Each table's newest view only, so that a slow reader accumulates nothing.
        self._shown: dict[int, Update] = {}
        self._sent_versions: dict[int, int] = {}
        self._awake = asyncio.Event()
        self._end = ""

    async def lines(self) -> AsyncIterator[str]:
        """Yield lines until the session ends, the database is unavailable or the client leaves."""
        # Release the database connection: the response may last long.
        await sync_to_async(close_old_connections)()
        player = self._viewer.keys[1]
        _open[player] += 1
        # Broadcasters outlive a stream, so they must not inherit this request's context.
        following = asyncio.create_task(self._follow_all(), context=Context())
        following.add_done_callback(lambda _task: self._awake.set())
        try:
            if _open[player] > settings.STREAMS_PER_PLAYER:  # Concurrent requests.
                self._end = TooManyStreams.code
            while not self._end and not following.done():
                lines = [*self._waiting()]
                if not (lines or self._end):
                    lines = await self._news()
                for line in lines:
                    yield line
            yield f"{error_text(self._end or 'unavailable')}\n"
        finally:
            _open[player] -= 1
            if not _open[player]:
                del _open[player]
            following.cancel()
            await asyncio.wait([following])

    async def _news(self) -> list[str]:
        """Wait for updates; return no lines if there are some, else a heartbeat."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self._awake.wait()
        except TimeoutError:
            return [HEARTBEAT]
        return []

    def _waiting(self) -> Iterator[str]:
        """Yield the lines of views that are newer than those sent."""
        self._awake.clear()
        shown, self._shown = self._shown, {}
        for key, seen in shown.items():
            if not isinstance(seen, Message):
                self._end = "session_over" if seen is None else "unavailable"
            elif seen.version > self._sent_versions.get(key, -1):
                self._sent_versions[key] = seen.version
                yield f"{seen.text}\n"

    async def _follow_all(self) -> None:
        """Follow the player's tables, including later ones, until cancelled."""
        try:
            while (tables := await database_sync_to_async(_tables_of)(self._viewer)) is not None:
                present = {table.pk for table in tables}
                for key, followed in list(self._followed.items()):
                    if key not in present:  # Its last view may still arrive.
                        self._show(key, await followed.broadcaster.view_for(followed.subscriber))
                        await self._leave(key)
                for table in tables:
                    if table.pk not in self._followed:
                        await self._follow(table)
                await asyncio.sleep(LOOK_SECONDS)
            self._end = "session_over"
        except (AnyDatabaseError, RedisError, OSError) as error:
            log.warning("stream_ended", error=str(error))
        finally:
            for key in list(self._followed):
                await self._leave(key)

    async def _follow(self, table: Table) -> None:
        viewer = self._viewer
        followed = self._followed[table.pk] = _Followed(
            broadcaster_of(table),
            Subscriber(viewer.viewer, viewer.session, viewer.language),
        )
        await followed.broadcaster.join(followed.subscriber, partial(self._show, table.pk))
        self._show(table.pk, await followed.broadcaster.view_for(followed.subscriber))

    def _show(self, key: int, seen: Update | Said) -> None:
        if not isinstance(seen, Said):  # Views include phrases.
            self._shown[key] = seen
            self._awake.set()

    async def _leave(self, key: int) -> None:
        followed = self._followed.pop(key)
        await followed.broadcaster.leave(followed.subscriber)


def _tables_of(viewer: Subscriber) -> list[Table] | None:
    """Return the tables of the viewer's games; None if the session has ended.

    A token can access play-point games only.
    """
    if not still_signed_in([viewer]):
        return None
    held = held_by(cast(User, viewer.viewer).pk).filter(table__finished_at__isnull=True)
    tables = Table.objects.filter(pk__in=held.values("table"))
    if isinstance(viewer.session, TokenSession):
        tables = tables.filter(currency=PLAY_POINTS)
    return list(tables.order_by("pk"))
