"""Streams of a player's games, opened in this process as a server would."""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application

PATH = "/api/v1/tables/stream/"


class Stream(ApplicationCommunicator):
    """One request for the stream; `status` and `headers` are the answer's."""

    status = 0

    @classmethod
    async def opened(cls, text: str, path: str = PATH) -> Stream:
        headers = [(b"authorization", f"Bearer {text}".encode()), (b"host", b"localhost")]
        scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
        stream = cls(get_asgi_application(), {**scope, "query_string": b"", "http_version": "1.1"})
        await stream.send_input({"type": "http.request"})
        answer = await stream.receive_output(timeout=30)
        stream.status = answer["status"]
        stream.headers = {
            name.decode().lower(): value.decode() for name, value in answer["headers"]
        }
        return stream

    async def line(self) -> str:
        """Return the next line as it is; an empty one is a heartbeat."""
        sent = await self.receive_output(timeout=30)
        assert sent["more_body"], "the stream has ended"
        return sent["body"].decode()

    async def receive(self) -> dict[str, Any]:
        """Return the next message."""
        while not (line := await self.line()).strip():
            pass
        message: dict[str, Any] = json.loads(line)
        return message

    async def view(self) -> dict[str, Any]:
        message = await self.receive()
        assert message["type"] == "view", message
        view: dict[str, Any] = message["view"]
        return view

    async def rest(self) -> str:
        """Read what else is sent until the answer ends, and let the server finish with it."""
        sent, body = {"more_body": True}, b""
        while sent.get("more_body", False):
            sent = await self.receive_output(timeout=30)
            body += sent.get("body", b"")
        await self.wait(timeout=30)
        return body.decode()

    async def hang_up(self) -> None:
        await self.send_input({"type": "http.disconnect"})
        await self.wait(timeout=30)
