"""Moves while every seat has a socket: HTTP under WSGI, sockets under ASGI."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Final

from bench.tables.lines import Listener
from bench.tables.processor import per_piece, spending
from bench.tables.site import Game, Player, furnish, percentile, say
from bench.tables.web import ASGI, WSGI, moves, report_moves, server, warm_up

SEATS: Final = 6
OPENING_AT_ONCE: Final = 8


def sockets(tables: int, seconds: float, base: float, pace: float) -> None:
    games = furnish(tables, SEATS)

    async def play(port: int, live: int) -> None:
        listeners = Listeners(live, games)
        await listeners.open()
        say(f"sockets: {tables * SEATS} open")
        await warm_up(port, games)
        for name, goal in ((f"paced to {pace:.0f}/s", pace), ("as fast as it goes", 0.0)):
            await listeners.wait_for(sys.maxsize, seconds=1.0)
            listeners.forget()
            with spending() as used:
                times = await moves(port, games, seconds, pace=goal, on_move=listeners.expect)
                await listeners.wait_for(len(times) * SEATS)
            report_moves(f"live, {name}", times, seconds, base)
            say(f"live, {name}: {per_piece(used, len(times))}, {SEATS} views pushed among it")
            report_received(f"live, {name}", listeners.times, len(times) * SEATS)
        await listeners.close()

    with server(*WSGI) as port, server(*ASGI) as live:
        asyncio.run(play(port, live))


def report_received(name: str, received: list[float], pushed: int) -> None:
    say(
        f"{name}: {len(received)} views received of {pushed}, "
        f"median {percentile(received, 0.5):.0f} ms, "
        f"p99 {percentile(received, 0.99):.0f} ms after their move was sent"
    )


class Listeners:
    """A socket for every seat, and when each received of a move."""

    def __init__(self, port: int, games: Sequence[Game]) -> None:
        self.port = port
        self.pairs = [(game, player) for game in games for player in game.order]
        self.times: list[float] = []
        self._listeners: list[Listener] = []
        self._sent: dict[tuple[int, int], float] = {}

    async def open(self) -> None:
        for first in range(0, len(self.pairs), OPENING_AT_ONCE):
            some = self.pairs[first : first + OPENING_AT_ONCE]
            await asyncio.gather(*(self._open(game, player) for game, player in some))
            if first % 400 == 0:
                print(f"  {first} of {len(self.pairs)} sockets", file=sys.stderr, flush=True)

    async def close(self) -> None:
        for listener in self._listeners:
            listener.transport.close()
        await asyncio.sleep(1.0)  # The server has something to do with each of them.

    def forget(self) -> None:
        self.times = []
        self._sent.clear()

    def expect(self, game: Game, sent: float) -> None:
        self._sent[game.table.pk, game.version + 1] = sent

    async def wait_for(self, views: int, seconds: float = 3.0) -> None:
        """Wait until this many views were received; slow sockets get only the latest one."""
        until = time.monotonic() + seconds
        while len(self.times) < views and time.monotonic() < until:
            await asyncio.sleep(0.05)

    async def _open(self, game: Game, player: Player) -> None:
        table = game.table.pk

        def on_version(version: int) -> None:
            sent = self._sent.get((table, version))
            if sent is not None:
                self.times.append(time.monotonic() - sent)

        path = f"/ws/tables/{game.table.public_id}/"
        listener = Listener(on_version)
        await listener.open(self.port, path, player.cookie)
        self._listeners.append(listener)
