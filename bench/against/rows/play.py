"""Moves over HTTP, and the acts around them: buying in, leaving, settling."""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from typing import Any, Final

from websockets.sync.client import connect

from bench.against import children
from bench.against.client import Refused
from bench.against.figures import Figure, Row
from bench.against.games import Game, play, refresh
from bench.against.side import Side
from bench.against.trees import CannotCompare

WARM_UP_SECONDS: Final = 1.0
BUY_INS: Final = 10
SETTLED_SECONDS: Final = 30.0
ATTEMPTS: Final = 3


def _moves(side: Side) -> dict[str, float]:
    """Play at all tables as fast as the site under WSGI answers, after a short warm-up."""
    site, games = side.site, side.games
    web, demo = site.web, site.demo
    refresh(games)
    play(web.port, games, min(WARM_UP_SECONDS, side.seconds))
    refresh(games)
    before = Counter(children.processor_seconds(web.process.pid))
    before += Counter(_servers(demo.pid))
    began = time.monotonic()
    times = play(web.port, games, side.seconds)
    passed = time.monotonic() - began
    used = Counter(children.processor_seconds(web.process.pid)) + Counter(_servers(demo.pid))
    used.subtract(before)
    if not times:
        raise CannotCompare(f"No move was made on {side.tree.side}.")
    each = {kind: 1000 * seconds / len(times) for kind, seconds in used.items()}
    return {
        "moves": len(times) / passed,
        "move.median": 1000 * statistics.median(times),
        "move.processor": sum(each.values()),
        "move.site": each.get("site", 0.0),
        "move.database": each.get("PostgreSQL", 0.0),
    }


def _servers(demo: int) -> dict[str, float]:
    """Return the processor time of PostgreSQL and Redis, without the demo's own processes."""
    used = children.processor_seconds(demo)
    return {kind: seconds for kind, seconds in used.items() if kind != "site"}


def _seats(side: Side) -> dict[str, float]:
    """Take and leave a seat at a private table that waits for another player."""
    game = side.waiting
    [player] = game.players
    path, body = f"tables/{game.table}/seats/", {"code": game.code}
    bought, left = [], []
    for _ in range(BUY_INS):
        bought.append(_timed(lambda: player.post(path, body)))
        left.append(_timed(lambda: player.call("DELETE", f"{path}mine/")))
    return {"buy-in": statistics.median(bought), "leave": statistics.median(left)}


def _settle(side: Side) -> dict[str, float]:
    """Drop at tables of two: the time until a socket of the site shows the deal's score."""
    found = {}
    for name, games in side.settled.items():
        found[f"settle.{name}"] = statistics.median(settled(side, game) for game in games)
    return found


def settled(side: Side, game: Game) -> float:
    """Let the player to act drop; return the milliseconds until a socket shows the score."""
    for _ in range(ATTEMPTS):
        game.refresh()
        try:
            return _dropped(side.site.port, game)
        except Refused as refused:
            if refused.status != 409:  # The turn's time was over before the drop arrived.
                raise
    raise CannotCompare(f"No drop was accepted on {side.tree.side}: the turns run out before.")


def _dropped(port: int, game: Game) -> float:
    address = f"ws://127.0.0.1:{port}/ws/tables/{game.table}/"
    named = {"Cookie": game.to_act.cookie}
    origin: Any = f"http://127.0.0.1:{port}"
    no = game.view["deal"]["no"]
    with connect(address, additional_headers=named, origin=origin) as socket:
        socket.recv(timeout=SETTLED_SECONDS)
        began = time.monotonic()
        game.drop()
        while True:
            message = json.loads(socket.recv(timeout=SETTLED_SECONDS))
            scored = message.get("view", {}).get("last_deal")
            if scored and scored["no"] == no:
                return 1000 * (time.monotonic() - began)


def _timed(act: Any) -> float:
    began = time.monotonic()
    act()
    return 1000 * (time.monotonic() - began)


ROWS: Final = (
    Row(
        "moves",
        {
            "moves": Figure("moves over HTTP, WSGI", "/s", True),
            "move.median": Figure("a move's answer, median", "ms"),
            "move.processor": Figure("processor per move", "ms"),
            "move.site": Figure("processor per move, site", "ms"),
            "move.database": Figure("processor per move, PostgreSQL", "ms"),
        },
        _moves,
    ),
    Row(
        "seats",
        {"buy-in": Figure("buy-in", "ms"), "leave": Figure("leaving before the start", "ms")},
        _seats,
    ),
    Row(
        "settle",
        {
            "settle.pool": Figure("drop to score, pool deal", "ms"),
            "settle.points": Figure("drop to score, points deal", "ms"),
        },
        _settle,
    ),
)
