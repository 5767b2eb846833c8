"""Which players have which tables open in this process, recorded for all connections together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from itertools import count
from typing import Final
from uuid import uuid4
from weakref import WeakKeyDictionary

import structlog
from channels.db import database_sync_to_async
from django.db import Error as AnyDatabaseError

from core.clock import database_now
from tables.seats import open_sockets, presence
from tables.seats.open_sockets import Place

log = structlog.get_logger(__name__)

RENEWED_SECONDS: Final = 60.0
_NUMBERS: Final = count()


class Attendance:
    """The players connected over one event loop; a task records joins and departures.

    Changes that arrive during a write are collected for the next one.
    """

    def __init__(self) -> None:
        self._name = uuid4().hex  # Of this process: an imported module may be of its parent.
        # Each token's place; tokens added and removed since the last write.
        self._places: dict[str, Place] = {}
        self._came: dict[str, Place] = {}
        self._left: dict[str, Place] = {}
        self._awake = asyncio.Event()
        self._noting: asyncio.Task[None] | None = None

    def come(self, place: Place) -> str:
        """Record the player as present from now on; return a token to pass to `leave`."""
        token = f"{self._name}:{next(_NUMBERS)}"
        self._places[token] = self._came[token] = place
        self._wake()
        return token

    def leave(self, token: str) -> None:
        """Remove this token; the player may have others."""
        self._left[token] = self._places.pop(token)
        self._came.pop(token, None)
        self._wake()

    def _wake(self) -> None:
        self._awake.set()
        if self._noting is None or self._noting.done():
            self._noting = asyncio.create_task(self._note())

    async def _note(self) -> None:
        renew_at = time.monotonic() + RENEWED_SECONDS
        while self._places or self._left:
            try:
                async with asyncio.timeout(max(0.0, renew_at - time.monotonic())):
                    await self._awake.wait()
            except TimeoutError:
                self._came, renew_at = dict(self._places), time.monotonic() + RENEWED_SECONDS
            self._awake.clear()
            came, self._came = self._came, {}
            left, self._left = self._left, {}
            await database_sync_to_async(_write)(came, left)


_attendances: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Attendance]] = WeakKeyDictionary()


def attendance() -> Attendance:
    """Return the running loop's attendance."""
    loop = asyncio.get_running_loop()
    if (known := _attendances.get(loop)) is None:
        known = _attendances[loop] = Attendance()
    return known


def _write(came: Mapping[str, Place], left: Mapping[str, Place]) -> None:
    try:
        now = database_now()
        open_sockets.note(came, left, now=now)
        presence.note_all(came.values(), now)
    except AnyDatabaseError as error:  # Tried again when tokens are renewed.
        log.warning("presence_not_noted", error=str(error))
