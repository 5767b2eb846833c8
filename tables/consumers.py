"""One socket per onlooker: the layer brings hints, the socket sends what its viewer may see."""

from __future__ import annotations

import json
import time
from typing import Any, Final

from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import HttpRequest
from django.utils import translation

from tables.audience import Onlooker, audience_of
from tables.hints import group_of
from tables.models import Table

# No longer message means anything here; a deeply nested one would exhaust the parser's stack.
MESSAGE_CHARACTERS_MAX: Final = 256
RESYNC_SECONDS: Final = 1.0
CLOSED_LOGGED_OUT: Final = 4401


class TableConsumer(AsyncWebsocketConsumer):
    """Sends the table's view on connecting, after each change, and when asked to."""

    table: Table | None = None
    sent_version = -1
    resynced_at = float("-inf")

    async def connect(self) -> None:
        public_id = self.scope["url_route"]["kwargs"]["table_id"]
        self.table = await Table.objects.filter(public_id=public_id).afirst()
        if self.table is None:
            await self.close()
            return
        self.audience = audience_of(self.table)
        viewer, session = self.scope.get("user"), self.scope.get("session")
        self.onlooker = Onlooker(viewer, session, language=_language_of(self.scope))
        # Before the first view: what changes in between arrives as a hint.
        await self.channel_layer.group_add(group_of(self.table.public_id), self.channel_name)
        await self.accept()
        await self.send_view()

    async def disconnect(self, code: int) -> None:
        await self._hear_no_more()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not _asks_for_view(text_data or ""):
            await self.send(text_data='{"type": "error", "code": "unknown_message"}')
            return
        now = time.monotonic()
        if now - self.resynced_at >= RESYNC_SECONDS:
            self.resynced_at = now
            await self.send_view()

    async def table_changed(self, event: dict[str, Any]) -> None:
        """Answer a hint, unless a view sent meanwhile has told of it already."""
        if event["version"] > self.sent_version:
            await self.send_view()

    async def send_view(self) -> None:
        """Send the view, or hang up on a viewer who is no longer who the socket was opened for."""
        view = await self.audience.view_for(self.onlooker)
        if view is None:
            await self._hear_no_more()
            await self.close(code=CLOSED_LOGGED_OUT)
        elif view.version >= self.sent_version:
            self.sent_version = view.version
            await self.send(text_data=view.text)

    async def _hear_no_more(self) -> None:
        if self.table is not None:
            group = group_of(self.table.public_id)
            await self.channel_layer.group_discard(group, self.channel_name)


def _language_of(scope: dict[str, Any]) -> str:
    """Return what the middleware of pages would choose: the cookie's language, or the browser's."""
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
