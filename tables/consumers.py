"""One socket per onlooker: the layer brings hints, the socket sends what its viewer may see."""

from __future__ import annotations

import json
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from rest_framework.utils.encoders import JSONEncoder

from tables.hints import group_of
from tables.models import Table
from tables.selectors import as_json, table_view


class TableConsumer(AsyncWebsocketConsumer):
    """Sends the table's view on connecting, after each change, and when asked to."""

    table: Table | None = None
    sent_version = -1

    async def connect(self) -> None:
        public_id = self.scope["url_route"]["kwargs"]["table_id"]
        self.table = await Table.objects.filter(public_id=public_id).afirst()
        if self.table is None:
            await self.close()
            return
        # Before the first view: what changes in between arrives as a hint.
        await self.channel_layer.group_add(group_of(self.table.public_id), self.channel_name)
        await self.accept()
        await self.send_view()

    async def disconnect(self, code: int) -> None:
        if self.table is not None:
            group = group_of(self.table.public_id)
            await self.channel_layer.group_discard(group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        try:
            message = json.loads(text_data or "")
        except ValueError:
            message = None
        if isinstance(message, dict) and message.get("type") == "resync":
            await self.send_view()
        else:
            await self._send({"type": "error", "code": "unknown_message"})

    async def table_changed(self, event: dict[str, Any]) -> None:
        """Answer a hint, unless a view sent meanwhile has told of it already."""
        if event["version"] > self.sent_version:
            await self.send_view()

    async def send_view(self) -> None:
        view = await database_sync_to_async(table_view)(self.table, self.scope.get("user"))
        self.sent_version = view.version
        await self._send({"type": "view", "view": as_json(view)})

    async def _send(self, message: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps(message, cls=JSONEncoder))
