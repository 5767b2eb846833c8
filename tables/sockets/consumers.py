"""One socket per viewer: the broadcaster receives changes, a socket sends its viewer's view."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any, Final

from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import HttpRequest
from django.utils import translation

from core import tracing
from players.sign_in.sessions import TokenSession
from tables.exceptions import NotInvited
from tables.models.tables import Table
from tables.sockets.broadcaster import Said, Subscriber, TableBroadcaster, Update, broadcaster_at
from tables.sockets.socket_limits import CLOSED_TOO_MANY, JUNK_COST, Budget, error_text
from tables.view.open_hands import require_may_watch
from wallet.ledger.money import PLAY_POINTS

# No longer message is valid; a deeply nested one would exhaust the parser's stack.
MESSAGE_CHARACTERS_MAX: Final = 256
RESYNC_SECONDS: Final = 1.0
# How many unsent phrases are kept for a slow connection; older ones are dropped.
PHRASES_WAITING_MAX: Final = 6
CLOSED_LOGGED_OUT: Final = 4401
CLOSED_NOT_INVITED: Final = 4403
CLOSED_BROKEN: Final = 1011


class TableConsumer(AsyncWebsocketConsumer):
    """Sends the table's view on connecting, after each change, and on request."""

    broadcaster: TableBroadcaster | None = None
    sent_version = -1
    resynced_at = float("-inf")
    is_closed = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Receive the client's messages until it is gone.

        Channels' own loop also waits for a channel, in tasks that take 4 kB of each socket, and
        calls a thread for each message, to close a connection to the database that no socket has.
        """
        self.scope, self.base_send = scope, send
        try:
            while True:
                message = await receive()
                await getattr(self, get_handler_name(message))(message)
        except StopConsumer:
            pass

    async def connect(self) -> None:
        public_id = self.scope["url_route"]["kwargs"]["table_id"]
        try:
            broadcaster = await broadcaster_at(public_id)
        except Table.DoesNotExist:
            await self.close()
            return
        viewer, session = self.scope.get("user"), self.scope.get("session")
        self.subscriber = Subscriber(viewer, session, language=_language_of(self.scope))
        if isinstance(session, TokenSession) and broadcaster.table.currency != PLAY_POINTS:
            await broadcaster.leave(
                self.subscriber
            )  # The broadcaster ends if this was its last subscriber.
            await self.close()
            return
        if broadcaster.table.invite_code:
            try:
                await database_sync_to_async(require_may_watch)(broadcaster.table, viewer)
            except NotInvited:
                await broadcaster.leave(self.subscriber)
                await self.accept()  # Browsers do not expose the status of a refused handshake.
                await self._close(CLOSED_NOT_INVITED, "not_invited")
                return
        self.budget = Budget()
        self.shown: list[Update] = []
        self.said: list[Said] = []
        self.showing: asyncio.Task[None] | None = None
        self.broadcaster = broadcaster
        # Before the first view: what changes in between arrives as a change.
        await self.broadcaster.join(self.subscriber, self.show)
        await self.accept()
        self.scope["cookies"].clear()  # Needed no more, and kept as long as the socket otherwise.
        await self.send_view()

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        """Unsubscribe and end; Channels would call a thread here too, as in its loop."""
        await self.disconnect(message["code"])
        raise StopConsumer

    async def disconnect(self, code: int) -> None:
        await self._unsubscribe()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        is_junk = not _asks_for_view(text_data or "")
        if not self.budget.spend(JUNK_COST if is_junk else 1.0):
            await self._close(CLOSED_TOO_MANY, "too_many_messages")
            return
        if is_junk:
            await self.send(text_data=error_text("unknown_message"))
            return
        now = time.monotonic()
        if now - self.resynced_at >= RESYNC_SECONDS:
            self.resynced_at = now
            await self.send_view()

    def show(self, seen: Update | Said) -> None:
        """Queue an update; a slow connection delays no other and gets the newest view."""
        if isinstance(seen, Said):
            self.said = [*self.said, seen][-PHRASES_WAITING_MAX:]
        else:
            self.shown = [seen]
        if self.showing is None:
            self.showing = asyncio.create_task(self._send_shown())

    async def send_view(self) -> None:
        """Send the current view."""
        if self.broadcaster is not None:
            view = await self.broadcaster.view_for(self.subscriber)
            await self._send_seen(view, newer_than=self.sent_version - 1)

    async def _send_shown(self) -> None:
        try:
            while self.shown or self.said:
                if self.shown:
                    await self._send_seen(self.shown.pop(), newer_than=self.sent_version)
                elif not self.is_closed:
                    await self.send(text_data=self.said.pop(0).text)
                else:
                    self.said.clear()
        except OSError:  # The client is gone; `disconnect` follows (ASGI).
            self.shown, self.is_closed = [], True
            self.said.clear()
        finally:
            self.showing = None

    async def _send_seen(self, seen: Update, *, newer_than: int) -> None:
        """Send a view, or close the socket if the viewer's session has ended.

        Versions only increase: a view older than the last one sent is dropped.
        """
        if seen is None:
            await self._close(CLOSED_LOGGED_OUT, "session_over")
        elif isinstance(seen, Exception):
            await self._close(CLOSED_BROKEN, "unavailable")
        elif seen.version > newer_than:
            self.sent_version = seen.version
            with tracing.span("socket", version=seen.version):
                await self.send(text_data=seen.text)

    async def _close(self, code: int, reason: str) -> None:
        """Send the reason as a message, for clients that cannot read close codes, and close."""
        await self._unsubscribe()
        if not self.is_closed:
            self.is_closed = True
            await self.send(text_data=error_text(reason))
            await self.close(code=code)

    async def _unsubscribe(self) -> None:
        if self.broadcaster is not None:
            await self.broadcaster.leave(self.subscriber)


def _language_of(scope: dict[str, Any]) -> str:
    """Return the language that the pages' middleware would choose, by cookie or browser."""
    request = HttpRequest()
    request.COOKIES = scope.get("cookies", {})
    accepted = dict(scope.get("headers", [])).get(b"accept-language", b"")
    request.META["HTTP_ACCEPT_LANGUAGE"] = accepted.decode("latin-1")
    return translation.get_language_from_request(request)


def _asks_for_view(text: str) -> bool:
    if len(text) > MESSAGE_CHARACTERS_MAX:
        return False
    try:
        message = json.loads(text)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("type") == "resync"
