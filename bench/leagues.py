"""The cost of a leaderboard with many players: its first page, one in the middle, one's own place.

    python -m bench.leagues [--players 1000000] [--calls 200]

Fills a throw-away database by plain INSERTs, for a hundredth of the players first and then for all.
Prints the median and the slowest of 20 in milliseconds, the blocks that the database reads, and the
time to end the season.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from datetime import timedelta
from statistics import quantiles
from typing import Any, Final

from devtools import launcher
from devtools.datadir import throwaway_datadir

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
_servers = None if launcher.are_configured() else launcher.start(throwaway_datadir())

import django

django.setup()

from django.core import signing
from django.core.management import call_command
from django.db import connection

from core.clock import database_now
from players.accounts.models import User
from tournaments.leagues import closing, seasons
from tournaments.leagues.contests import day_of
from tournaments.leagues.models import Board, Season
from tournaments.leagues.standings import leaderboard

# Points of a season fall off with the place; thousands of players share the low ones.
FILL: Final = """
    SET session_replication_role = replica;
    INSERT INTO players_user (public_id, handle, password, is_superuser, email, is_staff, is_active,
        date_joined, {defaults})
    SELECT gen_random_uuid(), 'bench' || n, '', false, '', false, true, now(), {values}
    FROM generate_series({first}, {last}) AS n;
    INSERT INTO tournaments_standing (board_id, player_id, points, wins, games)
    SELECT {board}, id, floor(power(random(), 4) * 200000), floor(random() * 50), 1 + random() * 200
    FROM players_user WHERE handle ~ '^bench[0-9]+$' AND id NOT IN (
        SELECT player_id FROM tournaments_standing WHERE board_id = {board});
    DELETE FROM tournaments_pointscount WHERE board_id = {board};
    INSERT INTO tournaments_pointscount (board_id, shift, points, players)
    SELECT {board}, shift, points >> shift, count(*)
    FROM tournaments_standing, unnest(ARRAY[0, 8, 16]) AS shift WHERE board_id = {board}
    GROUP BY shift, points >> shift;
    SET session_replication_role = DEFAULT;
    ANALYZE players_user; ANALYZE tournaments_standing; ANALYZE tournaments_pointscount;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--calls", type=int, default=200)
    options = parser.parse_args()
    try:
        run(options.players, options.calls)
    finally:
        if _servers is not None:
            _servers.stop()


def run(players: int, calls: int) -> None:
    call_command("migrate", verbosity=0)
    now = database_now()
    season = seasons.plan_season(
        season=Season(
            name="Bench",
            starts_at=now - timedelta(days=1),
            ends_at=now - timedelta(hours=1),
            pools_minor=[0, 1_000_000_00],
            promoted=100,
        ),
        by=User.objects.create_user(handle="planner", email="planner@example.com"),
    )
    season = seasons.open_season(season_id=season.pk, now=now)
    board = Board.objects.create(
        season=season, span=Board.Span.SEASON, division=2, begins_on=day_of(season.starts_at)
    )
    filled = 0
    for number in (players // 100, players):
        fill(board, filled + 1, number)
        filled = number
        measure(board, calls)
    began = time.monotonic()
    closed = closing.close_season(season_id=season.pk, now=now)
    print(f"end of the season: {closed.state} in {time.monotonic() - began:.2f} s")


def fill(board: Board, first: int, last: int) -> None:
    columns = [
        field.column
        for field in User._meta.fields
        if not field.null and not field.primary_key and field.column not in FILL
    ]
    new = User()
    values = ", ".join(_literal(getattr(new, column)) for column in columns)
    script = FILL.format(
        defaults=", ".join(columns), values=values, first=first, last=last, board=board.pk
    )
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        cursor.execute(script)


def measure(board: Board, calls: int) -> None:
    players = board.standings.count()
    middle = board.standings.best_first()[players // 2]
    after = signing.dumps(middle.rank, salt=f"tournaments.leagues.{board.pk}")
    viewer = middle.player
    print(f"{players:,} players, {board.counts.filter(shift=0).count():,} different points")
    timed("page 1", calls, lambda: leaderboard(board, None))
    timed("a page in the middle", calls, lambda: leaderboard(board, None, after=after))
    timed("page 1 with my place in the middle", calls, lambda: leaderboard(board, viewer))


def timed(name: str, calls: int, call: Callable[[], Any]) -> None:
    statements = collected(call)
    spent = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        spent.append(time.perf_counter() - began)
    steps = quantiles(spent, n=20)
    print(
        f"  {name}: median {steps[9] * 1e3:.1f} ms, slowest of 20 {steps[18] * 1e3:.1f} ms, "
        f"{len(statements)} queries, {sum(map(blocks, statements)):,} blocks"
    )


def collected(call: Callable[[], Any]) -> list[tuple[str, Any]]:
    """Return the statements of a call with their parameters."""
    statements = []

    def keep(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        call()
    return statements


def blocks(statement: tuple[str, Any]) -> int:
    """Return the blocks of 8 KB that a statement reads, which do not depend on other processes."""
    sql, params = statement
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0]
    found = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    return int(found["Shared Hit Blocks"] + found["Shared Read Blocks"])


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else f"'{value}'"


if __name__ == "__main__":
    main()
