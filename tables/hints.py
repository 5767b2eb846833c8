"""Hints over the channel layer from synchronous code, without waiting for them.

The layer speaks asyncio only. A loop of its own per process keeps its connections open; bridging
each message through a fresh loop and a fresh connection costs more than the whole move.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, Final
from uuid import UUID

import structlog
from channels.layers import get_channel_layer

log = structlog.get_logger(__name__)


def group_of(public_id: UUID) -> str:
    """Return the channel group of everybody who looks at this table."""
    return f"table.{public_id.hex}"


def send_hint(public_id: UUID, version: int) -> None:
    """Tell all onlookers that the table is at this version; nothing depends on its delivery."""
    message = {"type": "table.changed", "table": str(public_id), "version": version}
    layer = get_channel_layer()
    if layer is not None:
        _sender.run(layer.group_send(group_of(public_id), message))


class _Sender:
    """A daemon thread with an event loop, started on first use in each process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pid = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._running_loop()).add_done_callback(_noted)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # A forked worker inherits the loop but not the thread that runs it.
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                Thread(target=self._loop.run_forever, name="table-hints", daemon=True).start()
            return self._loop


def _noted(sent: Future[None]) -> None:
    error = sent.exception()
    if error is not None:
        log.warning("hint_lost", error=str(error))


_sender: Final = _Sender()
