"""Measure thousands of sockets: memory of each, the cost of a move, and simultaneous reconnects.

    python -m bench.sockets [--sockets 5000] [--storm 2000] [--tables 100] [--pace 20]
                            [--seconds 15] [--live 1]

Each socket is a signed-in player's; as many look at each table, and as many are open to each of the
processes of `live`. First is the resident memory of `live` before and after they open. Then moves
are made over HTTP at a human pace, all sent to the first of them, and each socket
receives each: what a move writes and sends, and how many connections PostgreSQL holds. In the end
so many of them lose their connection at once and open another, while moves go on: a first view
older than a move that was answered before counts as stale. The load comes from this process, on the
same processors.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from django.core.management import call_command

from bench.tables.site import Game, furnish, percentile, say

# ruff: noqa: I001  The site sets Django up before anything else of the project is read.
from bench.tables.figures import connections, figures
from bench.tables.lines import Listener
from bench.tables.processor import per_piece, resident_mb, spending
from bench.tables.web import ASGI, moves, server, warm_up

SEATS: Final = 2
OPENING_AT_ONCE: Final = 50
SECONDS: Final = 15.0
OTHER_FILES: Final = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=5_000)
    parser.add_argument("--storm", type=int, default=2_000)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--pace", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--live", type=int, default=1, help="processes of `live`")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (options.sockets + OTHER_FILES, hard))
    call_command("migrate", verbosity=0)
    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    games = furnish(options.tables, SEATS)
    with ExitStack() as servers:
        ports = [servers.enter_context(server(*ASGI)) for _ in range(options.live)]
        asyncio.run(_measure(ports, games, options))


async def _measure(
    ports: Sequence[int], games: Sequence[Game], options: argparse.Namespace
) -> None:
    crowd, port = Crowd(ports, games), ports[0]
    await warm_up(port, games)  # A process that never saw a deal begins with its shuffle.
    for socket in await crowd.open(options.tables * len(ports)):
        socket.transport.close()
    await asyncio.sleep(1.0)
    before, began = resident_mb(), time.monotonic()
    with spending() as used:
        sockets = await crowd.open(options.sockets)
    grown = resident_mb() - before
    say(
        f"{len(sockets)} sockets opened in {time.monotonic() - began:.1f} s, "
        f"{per_piece(used, len(sockets))}; {1000 * grown / len(sockets):.1f} kB each "
        f"({before:.0f} MB before, {before + grown:.0f} MB after)"
    )
    crowd.forget()
    written = await asyncio.to_thread(figures)
    with spending() as used:
        made = await moves(port, games, options.seconds, pace=options.pace, on_move=crowd.expect)
        await crowd.wait_for(len(made) * len(sockets) // len(games))
    now = await asyncio.to_thread(figures)
    each = {name: (value - written[name]) / len(made) for name, value in now.items()}
    say(", ".join(f"{value:.2f} {name} each" for name, value in each.items()))
    say(f"{await asyncio.to_thread(connections)} connections to PostgreSQL")
    say(
        f"{len(made) / options.seconds:.0f} moves/s, p99 {percentile(made, 0.99):.0f} ms, "
        f"{per_piece(used, len(made))}; {len(crowd.received)} views received, "
        f"p99 {percentile(crowd.received, 0.99):.0f} ms after their move was sent; "
        f"{resident_mb():.0f} MB"
    )
    if options.storm:
        await _storm(crowd, port, games, sockets[: options.storm], options.pace)


async def _storm(
    crowd: Crowd, port: int, games: Sequence[Game], lost: Sequence[Listener], pace: float
) -> None:
    playing = asyncio.create_task(moves(port, games, SECONDS, pace=pace))
    await asyncio.sleep(1.0)
    for socket in lost:
        socket.transport.abort()
    began = time.monotonic()
    with spending() as used:
        took = await crowd.reopen(len(lost))
    seconds = time.monotonic() - began
    made = await playing
    say(
        f"storm: {len(took)} sockets lost and open again in {seconds:.1f} s, median "
        f"{percentile(took, 0.5):.0f} ms, p99 {percentile(took, 0.99):.0f} ms to the first view, "
        f"{crowd.stale} stale, {per_piece(used, len(took))}; {len(made) / SECONDS:.0f} moves/s "
        f"beside it, p99 {percentile(made, 0.99):.0f} ms"
    )


class Crowd:
    """Open sockets at all tables in turn, each for one of the table's players."""

    def __init__(self, ports: Sequence[int], games: Sequence[Game]) -> None:
        self.ports = ports
        self.places = [(game, player) for game in games for player in game.order]
        self.received: list[float] = []
        self.stale = 0
        self._sent: dict[tuple[int, int], float] = {}

    def forget(self) -> None:
        self.received = []
        self._sent.clear()

    def expect(self, game: Game, sent: float) -> None:
        self._sent[game.table.pk, game.version + 1] = sent

    async def wait_for(self, views: int, seconds: float = 10.0) -> None:
        """Wait until this many views were received; slow sockets get only the latest one."""
        until = time.monotonic() + seconds
        while len(self.received) < views and time.monotonic() < until:
            await asyncio.sleep(0.05)

    async def open(self, sockets: int) -> list[Listener]:
        opened: list[Listener] = []
        for first in range(0, sockets, OPENING_AT_ONCE):
            numbers = range(first, min(first + OPENING_AT_ONCE, sockets))
            opened += await asyncio.gather(*(self._open(number) for number in numbers))
            if first % 1_000 == 0:
                print(f"  {first} of {sockets} sockets", file=sys.stderr, flush=True)
        return opened

    async def reopen(self, sockets: int) -> list[float]:
        """Open so many sockets all at once; return how long each waited for its first view."""

        async def timed(number: int) -> float:
            began = time.monotonic()
            await self._open(number)
            return time.monotonic() - began

        return list(await asyncio.gather(*map(timed, range(sockets))))

    async def _open(self, number: int) -> Listener:
        game, player = self.places[number % len(self.places)]
        known, first = game.version, list[int]()

        def on_version(version: int) -> None:
            if not first:
                first.append(version)
                self.stale += version < known
            sent = self._sent.get((game.table.pk, version))
            if sent is not None:
                self.received.append(time.monotonic() - sent)

        listener = Listener(on_version)
        port = self.ports[number % len(self.ports)]
        await listener.open(port, f"/ws/tables/{game.table.public_id}/", player.cookie)
        return listener


if __name__ == "__main__":
    main()
