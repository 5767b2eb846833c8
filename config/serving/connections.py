"""Uvicorn's protocols with limits of time and size, against slow and idle clients.

Uvicorn closes a connection that is idle after an answer, but waits without limit for a first
request, for the rest of a head or body, and for a client that does not read. An application cannot
detect any of these, so the protocols do.
"""

from __future__ import annotations

import asyncio
import socket
import time
from asyncio import TimerHandle, Transport
from typing import Any, Final

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

# Seconds for a whole head, from the connection or its first byte on; for the body; and for each
# pause in which a client does not read its answer.
HEAD_SECONDS: Final = 10.0
BODY_SECONDS: Final = 60.0
STALLED_SECONDS: Final = 60.0
HEAD_BYTES_MAX: Final = 64 * 1024
# More than any page accepts (finance's gateway files have 20 MB); Django checks the rest.
BODY_BYTES_MAX: Final = 32 * 1024 * 1024
# At the limit this many idle connections are closed at once, the longest idle first.
ROOM_MADE: Final = 64
# A client requests a view with 40 bytes, rarely, and answers a ping with ten every 20 seconds.
SOCKET_BYTES_AT_ONCE: Final = 16 * 1024
SOCKET_BYTES_PER_SECOND: Final = 1024
FRAGMENTS_MAX: Final = 16
# Buffers of the system and the transport for a slow client: some views each. Without a limit the
# system buffers megabytes before the delay is detected.
SEND_BUFFER_BYTES: Final = 64 * 1024
WRITE_BUFFER_BYTES: Final = 32 * 1024
# A table's client that reads nothing for this many seconds is dropped; it can reconnect.
STALLED_SOCKET_SECONDS: Final = 10.0
# Close codes (RFC 6455, 7.4.1).
NOT_TEXT: Final = 1007
TOO_MUCH: Final = 1008

log = structlog.get_logger(__name__)


class BoundedHttp(HttpToolsProtocol):
    """HTTP/1.1 protocol that closes the connection of a slow client."""

    connections_max = 8192
    waiting: TimerHandle | None = None
    head_bytes: int = 0
    body_bytes: int = 0
    in_head: bool = True
    idle_since: float = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether no request is being received or answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.idle_since = time.monotonic()
        self._wait_at_most(HEAD_SECONDS)
        if len(self.connections) > self.connections_max and not self._make_room():
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.in_head:
            self.head_bytes += len(data)
            if self.waiting is None:  # Uvicorn's own timeout between requests ends with any byte.
                self._wait_at_most(HEAD_SECONDS)
        super().data_received(data)
        # The buffer may include a part of the body: only an incomplete head is too long.
        if self.in_head and self.head_bytes > HEAD_BYTES_MAX and not self.transport.is_closing():
            self.send_400_response("The request's head is too long.")

    def on_message_begin(self) -> None:
        self.in_head, self.body_bytes = True, 0
        if self.waiting is None:  # A part of this request arrived with the one before.
            self._wait_at_most(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self.in_head, self.head_bytes = False, 0
        self._wait_at_most(BODY_SECONDS)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.body_bytes += len(body)
        if self.body_bytes > BODY_BYTES_MAX:
            self.transport.abort()
            return
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._wait_no_more()
        super().on_message_complete()
        self.in_head = True

    def on_response_complete(self) -> None:
        self.idle_since = time.monotonic()
        super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        self._wait_no_more()
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_at_most(STALLED_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wait_no_more()

    def _wait_at_most(self, seconds: float) -> None:
        self._wait_no_more()
        self.waiting = self.loop.call_later(seconds, self.transport.abort)

    def _wait_no_more(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def _make_room(self) -> bool:
        """Close the longest-idle connections; return whether there were any."""
        idle = [
            each
            for each in self.connections
            if isinstance(each, BoundedHttp) and each.is_idle and each is not self
        ]
        idle.sort(key=lambda each: each.idle_since)
        for each in idle[:ROOM_MADE]:
            each.transport.abort()
        return bool(idle)


class Inbox:
    """The events of one socket, for one reader: asyncio's queue takes 4 kB even if it is empty."""

    __slots__ = ("_events", "_reader")

    def __init__(self) -> None:
        self._events: list[Any] = []
        self._reader: asyncio.Future[None] | None = None

    def put_nowait(self, event: Any) -> None:
        self._events.append(event)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def get(self) -> Any:
        """Wait for an event, remove it and return it."""
        while not self._events:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._events.pop(0)

    def empty(self) -> bool:
        return not self._events


class BoundedSocket(WebSocketsSansIOProtocol):
    """A WebSocket that closes if the client sends more than a table's client ever needs.

    Pings and fragments never reach the application, but their bytes count too.

    A client that does not read is disconnected without a close frame, which it would not read.
    """

    stalled: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.queue = Inbox()  # type: ignore[assignment]
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        transport.set_write_buffer_limits(high=WRITE_BUFFER_BYTES)
        self.bytes_left = float(SOCKET_BYTES_AT_ONCE)
        self.counted_at = time.monotonic()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stalls_no_more()
        super().connection_lost(exc)

    def start_keepalive(self) -> None:
        """Forget the handshake, which was just accepted: the socket would keep it until its end."""
        super().start_keepalive()
        del self.request, self.response
        self.scope["headers"].clear()  # type: ignore[attr-defined]  # The list made by uvicorn.

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalls_no_more()
        self.stalled = self.loop.call_later(STALLED_SOCKET_SECONDS, self._drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalls_no_more()

    def keepalive_timeout(self) -> None:
        """Close the socket of a client that is gone; abort it if data is left unread."""
        super().keepalive_timeout()
        if self.transport.get_write_buffer_size():
            self._drop()

    def _stalls_no_more(self) -> None:
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None

    def _drop(self) -> None:
        log.info("socket_dropped", unread=self.transport.get_write_buffer_size())
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.handshake_initiated and not self._may_send(len(data)):
            self._refuse("too many bytes")
            return
        super().data_received(data)

    def handle_cont(self, event: Frame) -> None:
        super().handle_cont(event)
        if len(self.frames) > FRAGMENTS_MAX:
            self._refuse("too many fragments")

    def send_receive_event_to_app(self) -> None:
        """Close on text that is not UTF-8, for which uvicorn would log a traceback each time."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self._refuse("not UTF-8", NOT_TEXT)
                return
        super().send_receive_event_to_app()

    def _may_send(self, count: int) -> bool:
        now = time.monotonic()
        earned = (now - self.counted_at) * SOCKET_BYTES_PER_SECOND
        self.bytes_left = min(SOCKET_BYTES_AT_ONCE, self.bytes_left + earned) - count
        self.counted_at = now
        return self.bytes_left >= 0

    def _refuse(self, reason: str, code: int = TOO_MUCH) -> None:
        if self.transport.is_closing():
            return
        if not self.close_sent and self.handshake_complete:
            self.conn.fail(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        self.transport.close()
