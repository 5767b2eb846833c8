"""SQL statements per act, as pg_stat_statements counts them on a site that does nothing else."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any, Final

from bench.against import adapter, children
from bench.against.figures import Figure, Row
from bench.against.games import Game, play, refresh
from bench.against.side import Side
from bench.against.site import say
from bench.against.trees import CannotCompare

ACTS: Final = 5
LIBRARY: Final = "pg_stat_statements"
# Those of this program itself are left out.
COUNT: Final = """
    SELECT coalesce(sum(calls) FILTER (WHERE toplevel), 0),
        coalesce(sum(calls) FILTER (WHERE NOT toplevel), 0)
    FROM pg_stat_statements WHERE userid <> current_user::regrole
"""
# How often and how long it is looked whether the workers have done their part of an act.
LOOKS: Final = 20
LOOK_SECONDS: Final = 1.0
Counts = tuple[float, float]


def _statements(side: Side) -> dict[str, float]:
    """Count statements by action, without periodic tasks, which would execute others."""
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
            each = [_settle_counts(side, game) for game in games]
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
    if loaded != (LIBRARY,):
        side.site.restart()
        side.forget_tables()
        with side.site.superuser() as cursor:
            cursor.execute(f"CREATE EXTENSION IF NOT EXISTS {LIBRARY}")
            # Only once the library is loaded is its setting known.
            cursor.execute(f"ALTER SYSTEM SET {LIBRARY}.track = 'all'")
            cursor.execute("SELECT pg_reload_conf()")
    for games in (side.games, *side.settled.values()):
        refresh(games)
    play(side.site.port, side.games, 1.0)  # The first of everything is cached after it.
    refresh(side.games)
    return True


def _seat_counts(side: Side) -> dict[str, list[Counts]]:
    game = side.waiting
    [player] = game.players
    path, body = f"tables/{game.table}/seats/", {"code": game.code}
    found: dict[str, list[Counts]] = {"buy-in": [], "leave": []}
    for _ in range(ACTS):
        found["buy-in"].append(_counted(side, lambda: player.post(path, body)))
        found["leave"].append(_counted(side, lambda: player.call("DELETE", f"{path}mine/")))
    return found


def _move_counts(side: Side) -> dict[str, list[Counts]]:
    game = next(game for game in side.games if game.is_playing)
    return {"move": [_counted(side, game.step) for _ in range(ACTS)]}


def _settle_counts(side: Side, game: Game) -> Counts:
    """Count the statements of a drop, and of the worker that settles the deal."""
    no = game.view["deal"]["no"]
    counts = _counted(side, game.drop)
    view = game.players[0].get(f"tables/{game.table}/")
    scored = view["last_deal"]
    if not scored or scored["no"] != no:
        raise CannotCompare(f"A deal was not settled on {side.tree.side}.")
    return counts


def _counted(side: Side, act: Callable[[], Any]) -> Counts:
    """Return how many statements an act asked of the database, and how many those asked."""
    with side.site.superuser() as cursor:
        cursor.execute(f"SELECT {LIBRARY}_reset()")
        act()
        before: tuple[Any, ...] = ()
        for _ in range(LOOKS):
            time.sleep(LOOK_SECONDS)
            counts = cursor.execute(COUNT).fetchone() or (0, 0)
            if counts == before:  # Workers have done what the act asked of them.
                break
            before = counts
    return float(counts[0]), float(counts[1])


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
