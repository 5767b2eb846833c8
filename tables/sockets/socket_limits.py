"""Limits on sockets per player and per address, and on messages per socket, in this process."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from django.conf import settings

from core.addresses import client_address_of_scope, network_of

# Close code for a client that exceeds a limit.
CLOSED_TOO_MANY: Final = 4429
# The burst of messages a client may send; the budget refills by one a second.
MESSAGES_AT_ONCE: Final = 20.0
MESSAGES_PER_SECOND: Final = 1.0
# The cost of a message that cannot be parsed.
JUNK_COST: Final = 4.0

Scope = Mapping[str, Any]
Application = Callable[[Any, Any, Any], Awaitable[None]]


def error_text(code: str) -> str:
    """Return the message with the reason for closing a socket or refusing a message."""
    return json.dumps({"type": "error", "code": code})


class SocketCap:
    """An ASGI application that refuses sockets of a holder who has too many open already.

    Browsers do not expose the status of a refused handshake, so the socket is accepted, sent
    `too_many_sockets`, and closed with 4429.

    The counts are per process, as they protect the process's memory and connections. They end with
    it, while counters in Redis would need repair after each crash. With n processes a holder may
    have n times as many, but an address no more than the proxy allows over all of them
    (`limit_conn sockets` in deploy/nginx.conf).
    """

    def __init__(
        self, application: Application, holder_of: Callable[[Scope], str | None], setting: str
    ) -> None:
        self.application, self.holder_of, self.setting = application, holder_of, setting
        self.open: Counter[str] = Counter()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        holder = self.holder_of(scope)
        if holder is None:
            await self.application(scope, receive, send)
            return
        if self.open[holder] >= getattr(settings, self.setting):
            await _refuse(receive, send)
            return
        self.open[holder] += 1
        try:
            await self.application(scope, receive, send)
        finally:
            self.open[holder] -= 1
            if not self.open[holder]:
                del self.open[holder]


def address_of(scope: Scope) -> str | None:
    """Return the network of a socket, as all limits by address count it."""
    return network_of(client_address_of_scope(scope))


def player_of(scope: Scope) -> str | None:
    """Return the signed-in player's key, or None for a spectator."""
    viewer = scope.get("user")
    return str(viewer.pk) if viewer is not None and viewer.is_authenticated else None


class Budget:
    """A token bucket for the messages of one socket."""

    __slots__ = ("counted_at", "left")

    def __init__(self) -> None:
        self.left = MESSAGES_AT_ONCE
        self.counted_at = time.monotonic()

    def spend(self, cost: float) -> bool:
        """Take the cost of a message; return whether the budget was sufficient."""
        now = time.monotonic()
        earned = (now - self.counted_at) * MESSAGES_PER_SECOND
        self.left = min(MESSAGES_AT_ONCE, self.left + earned) - cost
        self.counted_at = now
        return self.left >= 0


async def _refuse(receive: Any, send: Any) -> None:
    if (await receive())["type"] != "websocket.connect":
        return
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": error_text("too_many_sockets")})
    await send({"type": "websocket.close", "code": CLOSED_TOO_MANY})
