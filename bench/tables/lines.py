"""Connections that cost their own process next to nothing: it shares the processors it measures."""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
from collections.abc import Callable
from typing import Final

HEAD_ENDS: Final = b"\r\n\r\n"
LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
# A view names its version near its start; to read all of it would be the client's time.
VERSION: Final = re.compile(rb'"version": ?(\d+)')
TEXT_FRAME, CLOSING_FRAME, PING_FRAME, PONG_FRAME = 0x1, 0x8, 0x9, 0xA


class Line(asyncio.Protocol):
    """A persistent HTTP connection with one request at a time.

    The server closes it after some idle seconds; then it is opened again, as browsers do.
    """

    async def open(self, port: int) -> Line:
        self.port = port
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", port)
        return self

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Send a whole request that may be repeated; return the status and body of its answer."""
        if not self.transport.is_closing():
            try:
                return await self._ask(request)
            except ConnectionError:
                pass  # It was closed as the request went out.
        await self.open(self.port)
        return await self._ask(request)

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        self.got = b""
        self.answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.answer

    def data_received(self, data: bytes) -> None:
        self.got += data
        head, ends, body = self.got.partition(HEAD_ENDS)
        length = LENGTH.search(head) if ends else None
        if length is not None and len(body) >= int(length[1]):
            self.answer.set_result((int(head[9:12]), body))

    def connection_lost(self, error: Exception | None) -> None:
        if hasattr(self, "answer") and not self.answer.done():
            self.answer.set_exception(ConnectionError(f"The server hung up: {error}"))


class Listener(asyncio.Protocol):
    """A WebSocket that tells the version of each view it is sent."""

    def __init__(self, on_version: Callable[[int], None]) -> None:
        self.on_version = on_version
        self.got = bytearray()
        self.is_open = False

    async def open(self, port: int, path: str, cookie: str) -> None:
        loop = asyncio.get_running_loop()
        self.first: asyncio.Future[None] = loop.create_future()
        here, key = f"127.0.0.1:{port}", base64.b64encode(secrets.token_bytes(16)).decode()
        self.transport, _ = await loop.create_connection(lambda: self, "127.0.0.1", port)
        self.transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\nCookie: {cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        await self.first

    def data_received(self, data: bytes) -> None:
        self.got += data
        if not self.is_open:
            head, ends, rest = self.got.partition(HEAD_ENDS)
            if not ends:
                return
            if not head.startswith(b"HTTP/1.1 101"):
                raise SystemExit(f"A socket was answered {bytes(head[:100])!r}")
            self.is_open, self.got = True, rest
        while self._take_frame():
            pass

    def _take_frame(self) -> bool:
        """Read one frame of the server's, which are whole and unmasked (RFC 6455, 5.2)."""
        got = self.got
        if len(got) < 2:
            return False
        length, start = got[1] & 0x7F, 2
        if length > 125:
            start = 4 if length == 126 else 10
            length = int.from_bytes(got[2:start], "big")
        end = start + length
        if len(got) < start or len(got) < end:
            return False
        if got[0] & 0x0F == CLOSING_FRAME:
            raise SystemExit(f"A socket was closed: {bytes(got[start:end])!r}")
        if got[0] & 0x0F == PING_FRAME:  # A client's frames are masked; by zeros, here.
            head = bytes((0x80 | PONG_FRAME, 0x80 | length, 0, 0, 0, 0))
            self.transport.write(head + got[start:end])
        version = VERSION.search(got, start, end)
        if got[0] & 0x0F == TEXT_FRAME and version is not None:
            if not self.first.done():
                self.first.set_result(None)
            self.on_version(int(version[1]))
        del got[:end]
        return True
