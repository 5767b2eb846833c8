"""Moves a second while an export of the whole journal runs, from the primary and from a replica.

    python -m bench.exports_beside_moves [--rows 1000000] [--tables 100] [--seconds 20]

Moves are sent over HTTP to two processes of `web` as fast as they are answered: alone, then beside
another process that exports the journal again and again, first from the primary, then from a
streaming replica (`REPLICA_URL`). All of them share this machine's processors, the replica too:
what a replica saves here is what the primary's own processes and locks cost, not the processor.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

from django.db import connection

from bench.tables.site import Game, furnish, percentile, say

# ruff: noqa: I001  The site sets Django up before anything else of the project is read.
from bench import exports
from bench.tables.web import WSGI, moves, server, warm_up
from embedded.children import stop_children
from embedded.postgres import DATABASE, OWNER_ROLE
from finance.tokens.actions import create_token
from tests.builders.processes.standby import standby

EXPORTING: Final = "--exporting"


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == EXPORTING:
        _export_on(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    exports.furnish(options.rows)
    games = furnish(options.tables, 2)
    _, token = create_token(name="bench", scopes=["journal"], created_by=None)
    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    with server(*WSGI) as port:
        asyncio.run(warm_up(port, games))
        _hang_up(games)
        _moves("alone", port, games, options.seconds)
        with _exporting(token):
            _moves("beside an export from the primary", port, games, options.seconds)
        with standby() as replica:
            url = f"postgres://{OWNER_ROLE}@/{DATABASE}?host={quote(str(replica.data.run))}"
            _moves("with a replica, alone", port, games, options.seconds)
            with _exporting(token, REPLICA_URL=url):
                _moves("beside an export from the replica", port, games, options.seconds)
    connection.close()


def _moves(name: str, port: int, games: Sequence[Game], seconds: float) -> None:
    made = asyncio.run(moves(port, games, seconds))
    _hang_up(games)
    say(
        f"{name}: {len(made) / seconds:.0f} moves/s, median {percentile(made, 0.5):.0f} ms, "
        f"p99 {percentile(made, 0.99):.0f} ms"
    )


def _hang_up(games: Sequence[Game]) -> None:
    """Forget the games' connections: they belong to a loop that is over."""
    for game in games:
        game.lines.clear()


@contextmanager
def _exporting(token: str, **environment: str) -> Iterator[None]:
    """Let a process export again and again within the block; say how far it came."""
    command = [sys.executable, "-m", "bench.exports_beside_moves", EXPORTING, token]
    child = subprocess.Popen(
        command,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    output = child.stdout or sys.stdin
    try:
        if output.readline() != "begins\n":  # Loaded, and past a first small export.
            raise SystemExit("The export did not begin.")
        yield
    finally:
        stop_children([child])
    for line in output.read().splitlines() or ["no export came to its end"]:
        say(f"  {line}")


def _export_on(token: str) -> None:
    exports.export(token, to="2000-01-01")
    print("begins", flush=True)
    while True:
        began = time.monotonic()
        rows, _, _ = exports.export(token)
        where = "the replica" if _replica_was_read(rows) else "the primary"
        print(f"{rows} rows from {where} in {time.monotonic() - began:.1f} s", flush=True)


def _replica_was_read(rows: int) -> bool:
    """Return whether the replica has given out so many rows in the exports so far."""
    from core.db import replica

    if not replica.is_configured():
        return False
    from django.db import connections

    with connections[replica.REPLICA].cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT tup_fetched + tup_returned FROM pg_stat_database"
            " WHERE datname = current_database()"
        )
        return bool(cursor.fetchone()[0] >= rows)


if __name__ == "__main__":
    main()
