"""The site's web servers as a deployment runs them, and moves sent to them over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

from bench.tables.lines import Line
from bench.tables.processor import per_piece, spending
from bench.tables.site import CLIENTS, TOKEN, Game, furnish, percentile, say
from config.serving import serve
from devtools.children import stop_children

WSGI: Final = ("web", "--workers", "2", "--threads", "4")
# All players come from one address here.
LIMITS: Final = {
    "SOCKETS_PER_PLAYER": "100000",
    "SOCKETS_PER_ADDRESS": "100000",
    "THROTTLE_FACTOR": "1000",
}
WARM_UP_MOVES: Final = 6
WARM_UP_SECONDS_MAX: Final = 120.0
ASGI: Final = ("live",)

OnMove = Callable[[Game, float], None]


def wsgi(tables: int, seconds: float, base: float) -> None:
    """Moves over the whole stack, no sockets open."""
    games = furnish(tables, 2)

    async def play(port: int) -> None:
        await warm_up(port, games)
        with spending() as used:
            times = await moves(port, games, seconds)
        report_moves("wsgi, no sockets", times, seconds, base)
        say(f"wsgi, no sockets: {per_piece(used, len(times))}")

    with server(*WSGI) as port:
        asyncio.run(play(port))


@contextmanager
def server(name: str, *options: str) -> Iterator[int]:
    """Run the site as a deployment does; yield its port."""
    port = free_port()
    say(f"{name}: " + ", ".join(f"{limit}={value}" for limit, value in LIMITS.items()))
    command = serve.command(name, "127.0.0.1", port, "--stop-seconds", "1", *options)
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BOT_THINK_SECONDS": "60",
        **LIMITS,
    }
    child = subprocess.Popen(command, env=environment)
    try:
        wait_for(port)
        yield port
    finally:
        stop_children([child])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(1_200):
        try:
            http_get(port, "/api/v1/tables/")
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The server did not answer within two minutes.")


def http_get(port: int, path: str) -> int:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    line.request("GET", path)
    status = line.getresponse().status
    line.close()
    return status


async def post_move(port: int, game: Game) -> None:
    """Send the table's next move, as the player whose turn it is, and follow the answer.

    Each seat keeps a connection of its own, as a browser does: a few for all of them would fall to
    one of the site's processes by chance.
    """
    line = game.lines.get(game.to_act)
    if line is None:
        line = game.lines[game.to_act] = await Line().open(port)
    body = (
        f'{{"move_id":"{uuid4()}","move":"{game.text()}","expected_version":{game.version}}}'
    ).encode()
    head = (
        f"POST /api/v1/tables/{game.table.public_id}/moves/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Cookie: {game.order[game.to_act - 1].cookie}\r\nX-CSRFToken: {TOKEN}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    status, text = await line.ask(head + body)
    if status != 200:
        raise SystemExit(f"A move was answered {status}: {text[:300]!r}")
    game.follow(json.loads(text))


async def warm_up(port: int, games: Sequence[Game]) -> None:
    """Make a few moves at each table: a process that never saw a deal begins with its shuffle."""
    await moves(port, games, WARM_UP_SECONDS_MAX, rounds=WARM_UP_MOVES)


async def moves(
    port: int,
    games: Sequence[Game],
    seconds: float,
    *,
    rounds: int = sys.maxsize,
    pace: float = 0.0,
    on_move: OnMove = lambda game, sent: None,
) -> list[float]:
    """Make moves at all tables in turn, at most so many rounds; return the answers' durations.

    `pace` is how many moves a second all clients send together, 0 for as many as are answered;
    `on_move` receives each move when it was sent.
    """
    times: list[float] = []
    began = time.monotonic()

    async def work(client: int) -> None:
        mine = list(games[client::CLIENTS])
        turn = 0
        last = rounds * len(mine)
        while time.monotonic() - began < seconds and turn < last and mine:
            game = mine[turn % len(mine)]
            turn += 1
            if game.is_over:
                mine.remove(game)
                continue
            sent = time.monotonic()
            on_move(game, sent)
            await post_move(port, game)
            times.append(time.monotonic() - sent)
            if pace:  # Clients take turns, and do not send in one breath.
                due = began + (turn * CLIENTS + client) / pace
                await asyncio.sleep(max(0.0, due - time.monotonic()))

    await asyncio.gather(*(work(number) for number in range(CLIENTS)))
    return times


def report_moves(name: str, times: list[float], seconds: float, base: float) -> None:
    rate = len(times) / seconds
    say(
        f"{name}: {rate:.0f} moves/s, median {percentile(times, 0.5):.0f} ms, "
        f"p99 {percentile(times, 0.99):.0f} ms, ceiling / {base / rate:.1f}"
    )
