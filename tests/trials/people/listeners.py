"""Sockets of the crowd: one thread keeps them all, reopens the lost, and checks what they say."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Callable
from concurrent.futures import Future
from random import Random
from typing import Any
from uuid import UUID

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.trials.people.seen_hands import SeenHands

OPENING_SECONDS = 15.0
Note = Callable[[str], None]


class Listener:
    """What one person's socket at one table has said last."""

    def __init__(self, table: UUID, cookie: str) -> None:
        self.table, self.cookie = table, cookie
        self.view: dict[str, Any] | None = None
        self.following: Future[None] | None = None

    def newer_than(self, version: int) -> dict[str, Any] | None:
        """Return the latest view if it is of a later version, None otherwise."""
        view = self.view
        return view if view is not None and view["version"] > version else None

    def hang_up(self) -> None:
        if self.following is not None:
            self.following.cancel()


class Listeners:
    """A thread with a loop of its own, in which every socket is a task."""

    def __init__(
        self, port: int, note: Note, hands: SeenHands, seed: str, tls: ssl.SSLContext | None
    ) -> None:
        self.tls, self.hands = tls, hands
        self.port, self.note, self.chance = port, note, Random(f"{seed} listeners")
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self._cancel_all)
        self.thread.join(60)

    def _cancel_all(self) -> None:
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        ended = asyncio.gather(*tasks, return_exceptions=True)
        ended.add_done_callback(lambda _: self.loop.stop())

    def listen(self, table: UUID, cookie: str) -> Listener:
        """Open a socket, and again whenever it is lost; return what it receives."""
        listener = Listener(table, cookie)
        following = self._follow(listener)
        listener.following = asyncio.run_coroutine_threadsafe(following, self.loop)
        return listener

    async def _follow(self, listener: Listener) -> None:
        secure = "s" if self.tls else ""
        address = f"ws{secure}://127.0.0.1:{self.port}/ws/tables/{listener.table}/"
        while True:
            try:
                async with connect(
                    address,
                    ssl=self.tls,
                    origin=f"http{secure}://127.0.0.1:{self.port}",  # type: ignore[arg-type]
                    additional_headers={"Cookie": listener.cookie},
                    open_timeout=OPENING_SECONDS,
                ) as ws:
                    self.note("sockets opened")
                    received = -1
                    async for text in ws:
                        received = self._receive(listener, json.loads(text), received)
            except (OSError, TimeoutError, WebSocketException):
                self.note("sockets lost")
            await asyncio.sleep(self.chance.uniform(0.3, 1.5))

    def _receive(self, listener: Listener, message: dict[str, Any], received: int) -> int:
        """Keep the view; return its version. On one socket it never falls."""
        if message["type"] == "error":
            self.note(f"sockets closed: {message['code']}")
            return received
        version: int = message["view"]["version"]
        self.note("views received")
        if version < received:
            self.note("older views")
        self.hands.look(message["view"])
        listener.view = message["view"]
        return version
