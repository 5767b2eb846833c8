"""Broadcast changes of tables from synchronous code, without waiting for Redis.

The channel layer speaks asyncio only, which costs a fifth of a whole move. A thread per process
publishes what has gathered since it last did, a hundred times a second at most, in the form in
which the subscribers' channel layer reads it.
"""

from __future__ import annotations

import os
import time
from functools import cache
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final
from uuid import UUID

import redis
import structlog
from channels.layers import get_channel_layer
from django.conf import settings

log = structlog.get_logger(__name__)

Change = tuple[UUID, int]
# A client that asks for the table anew gets more than these carry; they are not worth memory.
WAITING_MAX: Final = 10_000
TIMEOUT_SECONDS: Final = 5.0
# Between two messages to Redis: at hundreds of moves a second one for each would be a tenth of
# what a move costs. A change after a quiet moment goes out at once.
PAUSE_SECONDS: Final = 0.01


def group_name(public_id: UUID) -> str:
    """Return the channel group of the table's subscribers."""
    return f"table.{public_id.hex}"


def broadcast_change(public_id: UUID, version: int) -> None:
    """Send a table's new version to its subscribers; nothing depends on its delivery."""
    _sender.put((public_id, version))


class _Sender:
    """A daemon thread with a connection, started on first use in each process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pid = 0
        self._waiting: SimpleQueue[Change] = SimpleQueue()

    def put(self, change: Change) -> None:
        if self._pid != os.getpid():
            self._start()
        if self._waiting.qsize() < WAITING_MAX:
            self._waiting.put(change)

    def _start(self) -> None:
        with self._lock:
            # A forked worker inherits this object but not the thread.
            if self._pid == os.getpid():
                return
            self._waiting = SimpleQueue()
            Thread(target=self._publish, name="table-changes", daemon=True).start()
            self._pid = os.getpid()

    def _publish(self) -> None:
        waiting = self._waiting
        while True:
            changes = [waiting.get()]
            while not waiting.empty():
                changes.append(waiting.get())
            try:
                _publish_all(changes)
            except (redis.RedisError, OSError) as error:
                log.warning("change_lost", changes=len(changes), error=str(error))
            time.sleep(PAUSE_SECONDS)


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
    )


def _publish_all(changes: list[Change]) -> None:
    layer: Any = get_channel_layer()
    settled: Any = settings.CHANNEL_LAYERS["default"]["CONFIG"]
    (host,) = settled["hosts"]
    with _client(host["address"]).pipeline(transaction=False) as pipeline:
        for public_id, version in changes:
            # The name under which `RedisPubSubChannelLayer` subscribes a group.
            name = f"asgi__group__{group_name(public_id)}"
            pipeline.publish(name, layer.serialize({"version": version}))
        pipeline.execute()


_sender: Final = _Sender()
