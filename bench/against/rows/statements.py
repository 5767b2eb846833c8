"""SQL statements per act, as pg_stat_statements counts them on a site that does nothing else."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from bench.against import adapter, children
from bench.against.figures import Figure, Row
from bench.against.games import Game, play, refresh
from bench.against.rows.play import settled
from bench.against.side import Side
from bench.against.site import say

ACTS: Final = 5
LIBRARY: Final = "pg_stat_statements"
# Those of this program itself are left out.
COUNT: Final = """
    SELECT coalesce(sum(calls) FILTER (WHERE toplevel), 0),
        coalesce(sum(calls) FILTER (WHERE NOT toplevel), 0)
    FROM pg_stat_statements WHERE userid <> current_user::regrole
"""
# What a task does after the act that sent it.
SETTLING_SECONDS: Final = 1.0
Counts = tuple[float, float]


def _statements(side: Side) -> dict[str, float]:
    """Count by act; the periodic tasks are suspended, so that nothing else asks anything."""
    if not _prepared(side):
        return {}
    demo = side.site.demo
    found: dict[str, float] = {}
    with children.Paused(demo.pid, adapter.BEAT) as paused:
        if not paused.pids:
            say("  no process of periodic tasks was found: their statements are counted too")
        for act, counts in {**_seat_counts(side), **_move_counts(side)}.items():
            _add(found, act, counts)
    for name, games in side.settled.items():
        refresh(games)
        with children.Paused(demo.pid, adapter.BEAT):
            each = [_counted(side, partial(settled, side, game)) for game in games]
        _add(found, f"settle.{name}", each)
    return found


def _prepared(side: Side) -> bool:
    """Let the server count statements; False, with the reason, where it cannot."""
    with side.site.superuser() as cursor:
        available = cursor.execute(
            "SELECT count(*) FROM pg_available_extensions WHERE name = %s", [LIBRARY]
        ).fetchone()
        loaded = cursor.execute("SHOW shared_preload_libraries").fetchone()
        if available == (0,):
            say(f"  statements: left out, for this PostgreSQL has no {LIBRARY}")
            return False
        if loaded != (LIBRARY,):
            cursor.execute(f"ALTER SYSTEM SET shared_preload_libraries = '{LIBRARY}'")
            cursor.execute(f"ALTER SYSTEM SET {LIBRARY}.track = 'all'")
            cursor.execute(f"CREATE EXTENSION IF NOT EXISTS {LIBRARY}")
    if loaded != (LIBRARY,):
        side.site.restart()
        side.forget_tables()
    refresh(side.games)
    play(side.site.web.port, side.games, 1.0)
    refresh(side.games)
    return True


def _seat_counts(side: Side) -> dict[str, list[Counts]]:
    player = side.settled["pool"][0].players[0]
    game = Game([player])
    path, body = f"tables/{game.table}/seats/", {"code": game.code}
    player.call("DELETE", f"{path}mine/")
    found: dict[str, list[Counts]] = {"buy-in": [], "leave": []}
    for _ in range(ACTS):
        found["buy-in"].append(_counted(side, lambda: player.post(path, body)))
        found["leave"].append(_counted(side, lambda: player.call("DELETE", f"{path}mine/")))
    return found


def _move_counts(side: Side) -> dict[str, list[Counts]]:
    game = next(game for game in side.games if game.is_playing)
    return {"move": [_counted(side, game.step) for _ in range(ACTS)]}


def _counted(side: Side, act: Callable[[], Any]) -> Counts:
    """Return how many statements an act asked of the database, and how many they asked."""
    with side.site.superuser() as cursor:
        cursor.execute(f"SELECT {LIBRARY}_reset()")
        act()
        time.sleep(SETTLING_SECONDS)
        outer, inner = cursor.execute(COUNT).fetchone() or (0, 0)
    return float(outer), float(inner)


def _add(found: dict[str, float], act: str, counts: list[Counts]) -> None:
    found[f"statements.{act}"] = statistics.median(outer for outer, _ in counts)
    found[f"nested.{act}"] = statistics.median(inner for _, inner in counts)


TITLES: Final = {
    "buy-in": "buy-in",
    "leave": "leaving",
    "move": "a move",
    "settle.pool": "drop and settled pool deal",
    "settle.points": "drop and settled points deal",
}
ROWS: Final = (
    Row(
        "statements",
        {
            f"{kind}.{act}": Figure(f"{kind} of {title}", "")
            for act, title in TITLES.items()
            for kind in ("statements", "nested")
        },
        _statements,
        turns=1,
    ),
)
