"""All of a player's games as one stream of lines over HTTP, for programs beside the sockets.

Each line is a message as a table's socket sends it; a view names its table. What a stream shows is
read by the same broadcasters, so that nobody sees more here than there.
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
from rest_framework.views import APIView

from core.api.openapi import refusal
from core.http.own_origin import is_own_origin
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
# How soon a stream notices that its player has sat down at another table: tables' hints reach who
# follows the table already, and the session has to be looked at every few seconds anyway.
LOOK_SECONDS: Final = 2.0
# So often at least a line is sent, an empty one if need be.
HEARTBEAT_SECONDS: Final = 15.0
HEARTBEAT: Final = "\n"

log = structlog.get_logger(__name__)

_open: Final[Counter[int]] = Counter()


class LineRenderer(JSONRenderer):
    """Lets `Accept` name the stream's type; refusals are problem details all the same."""

    media_type = CONTENT_TYPE
    format = "ndjson"


class StreamView(APIView):
    """The caller's games as they change: a view a line, and an empty line when nothing happens.

    It begins with the view of each running game, takes up games that begin later, says a game's
    last view, and ends with the session or token that opened it.
    """

    renderer_classes = (JSONRenderer, LineRenderer)

    @extend_schema(
        operation_id="stream_games",
        responses={
            (200, CONTENT_TYPE): OpenApiResponse(
                {"type": "string"}, 'Lines like a socket\'s messages: {"type": "view", …}.'
            ),
            403: SIGN_IN,
            421: OpenApiResponse(refusal(), "This server answers requests one by one."),
            429: OpenApiResponse(refusal(), "Too many requests, or streams of one player."),
        },
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        if "Origin" in request.headers and not is_own_origin(request._request):
            raise ForeignOrigin(_("Streams are opened by pages of this site and by programs."))
        if not isinstance(request._request, ASGIRequest):
            raise NotStreamedHere(_("Streams are served where the tables' sockets are."))
        player = User.objects.get(pk=cast(User, request.user).pk)
        if _open[player.pk] >= settings.STREAMS_PER_PLAYER:
            raise TooManyStreams(_("Close one of your other streams first."))
        session = cast(SessionStore, request._request.session)
        subscriber = Subscriber(player, session, language=translation.get_language() or "en")
        answer = StreamingHttpResponse(
            GameStream(subscriber).lines(), content_type=f"{CONTENT_TYPE}; charset=utf-8"
        )
        # Else nginx waits until it has many lines.
        answer.headers["X-Accel-Buffering"] = "no"
        return answer


@dataclass(frozen=True, slots=True, eq=False)
class _Followed:
    """One table in a stream, with a subscriber of its own."""

    broadcaster: TableBroadcaster
    subscriber: Subscriber


class GameStream:
    """The lines of one stream; `lines` may be read once."""

    def __init__(self, viewer: Subscriber) -> None:
        self._viewer = viewer
        self._followed: dict[int, _Followed] = {}
        # Of each table the newest view, so that a slow reader makes nothing pile up.
        self._shown: dict[int, Update] = {}
        self._sent_versions: dict[int, int] = {}
        self._awake = asyncio.Event()
        self._end = ""

    async def lines(self) -> AsyncIterator[str]:
        """Yield the lines until the session is over, the database is away or the client leaves."""
        # The request's thread keeps no connection while its answer lasts.
        await sync_to_async(close_old_connections)()
        player = self._viewer.keys[1]
        _open[player] += 1
        # Broadcasters outlive a stream, so that nothing of its request may be around them.
        following = asyncio.create_task(self._follow_all(), context=Context())
        following.add_done_callback(lambda _task: self._awake.set())
        try:
            if _open[player] > settings.STREAMS_PER_PLAYER:  # Several were asked for at once.
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
        """Wait for news; return nothing then, and a heartbeat if none came."""
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                await self._awake.wait()
        except TimeoutError:
            return [HEARTBEAT]
        return []

    def _waiting(self) -> Iterator[str]:
        """Yield the lines of what is shown and newer than what was sent."""
        self._awake.clear()
        shown, self._shown = self._shown, {}
        for key, seen in shown.items():
            if not isinstance(seen, Message):
                self._end = "session_over" if seen is None else "unavailable"
            elif seen.version > self._sent_versions.get(key, -1):
                self._sent_versions[key] = seen.version
                yield f"{seen.text}\n"

    async def _follow_all(self) -> None:
        """Follow the player's tables, those that begin later too, until cancelled."""
        try:
            while (tables := await database_sync_to_async(_tables_of)(self._viewer)) is not None:
                present = {table.pk for table in tables}
                for key, followed in list(self._followed.items()):
                    if key not in present:  # Its last view may not have come yet.
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
        if not isinstance(seen, Said):  # Views have what is said as well.
            self._shown[key] = seen
            self._awake.set()

    async def _leave(self, key: int) -> None:
        followed = self._followed.pop(key)
        await followed.broadcaster.leave(followed.subscriber)


def _tables_of(viewer: Subscriber) -> list[Table] | None:
    """Return the tables whose games the viewer is in; None if the session has ended.

    A token sees games for play points alone.
    """
    if not still_signed_in([viewer]):
        return None
    held = held_by(cast(User, viewer.viewer)).filter(table__finished_at__isnull=True)
    tables = Table.objects.filter(pk__in=held.values("table"))
    if isinstance(viewer.session, TokenSession):
        tables = tables.filter(currency=PLAY_POINTS)
    return list(tables.order_by("pk"))
