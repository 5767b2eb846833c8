"""Moves while every seat has a socket: HTTP under WSGI, sockets under ASGI (ARCHITECTURE 7)."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from collections.abc import Sequence
from typing import Final

from websockets.asyncio.client import connect

from bench.tables.processor import per_piece, spending
from bench.tables.site import Game, Player, furnish, percentile, say
from bench.tables.web import ASGI, WSGI, moves, report_moves, server, warm_up

SEATS: Final = 6
# A view names its version near its start; to read all of it would be the client's time.
VERSION: Final = re.compile(r'"version": ?(\d+)')


def sockets(tables: int, seconds: float, base: float, pace: float) -> None:
    games = furnish(tables, SEATS)
    with server(*WSGI) as port, server(*ASGI) as live:
        ears = Ears(live, games)
        ears.open()
        say(f"sockets: {tables * SEATS} open")
        warm_up(port, games)
        for name, goal in ((f"paced to {pace:.0f}/s", pace), ("as fast as it goes", 0.0)):
            ears.forget()
            with spending() as used:
                times = moves(port, games, seconds, pace=goal, tell=ears.expect)
                ears.wait_for(len(times) * SEATS)
            report_moves(f"live, {name}", times, seconds, base)
            say(f"live, {name}: {per_piece(used, len(times))}, {SEATS} views pushed among it")
            heard = ears.times
            say(
                f"live, {name}: {len(heard)} views heard of {len(times) * SEATS}, median "
                f"{percentile(heard, 0.5):.0f} ms, p99 {percentile(heard, 0.99):.0f} ms after "
                "their move was sent"
            )
        ears.close()


class Ears:
    """A socket for every seat, and when each heard of a move."""

    def __init__(self, port: int, games: Sequence[Game]) -> None:
        self.port = port
        self.pairs = [(game, player) for game in games for player in game.order]
        self.times: list[float] = []
        self._sent: dict[tuple[int, int], float] = {}
        self._listening, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._listen()))

    def open(self) -> None:
        self._thread.start()
        self._listening.wait()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def forget(self) -> None:
        self.times = []
        self._sent.clear()

    def expect(self, game: Game, sent: float) -> None:
        self._sent[game.table.pk, game.version + 1] = sent

    def wait_for(self, views: int, seconds: float = 3.0) -> None:
        """Wait until so many views were heard; who fell behind a later one is sent that alone."""
        until = time.monotonic() + seconds
        while len(self.times) < views and time.monotonic() < until:
            time.sleep(0.05)

    async def _listen(self) -> None:
        ready = asyncio.Semaphore(0)
        tasks = []
        for number, (game, player) in enumerate(self.pairs, start=1):
            tasks.append(asyncio.create_task(self._hear(game, player, ready)))
            await ready.acquire()
            if number % 300 == 0:
                print(f"  {number} of {len(self.pairs)} sockets", file=sys.stderr, flush=True)
        self._listening.set()
        while not self._stop.is_set():
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()

    async def _hear(self, game: Game, player: Player, ready: asyncio.Semaphore) -> None:
        async with connect(
            f"ws://127.0.0.1:{self.port}/ws/tables/{game.table.public_id}/",
            additional_headers={"Cookie": player.cookie},
            origin=f"http://127.0.0.1:{self.port}",  # type: ignore[arg-type]
            compression=None,
            open_timeout=60,
        ) as socket:
            await socket.recv()
            ready.release()
            async for text in socket:
                version = VERSION.search(str(text))
                sent = self._sent.get((game.table.pk, int(version[1]))) if version else None
                if sent is not None:
                    self.times.append(time.monotonic() - sent)
