"""The raw ceiling: what PostgreSQL does for any move, through psycopg and nothing else."""

from __future__ import annotations

import os
import time

import psycopg

from bench.tables.processor import per_piece, spending
from bench.tables.site import CLIENTS, in_threads, say


def ceiling(seconds: float, url: str = "") -> float:
    """Return how many bare moves a second PostgreSQL takes from as many clients.

    The login of the URL, by default the site's, may create tables.
    """
    url = url or os.environ["DATABASE_URL"]
    with psycopg.connect(url) as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS bench_table (id int PRIMARY KEY, version int)")
        cursor.execute(
            "CREATE TABLE IF NOT EXISTS bench_move (id bigserial PRIMARY KEY, body text)"
        )
        cursor.execute(
            "INSERT INTO bench_table SELECT n, 0 FROM generate_series(0, 199) n"
            " ON CONFLICT DO NOTHING"
        )
    done = [0] * CLIENTS
    until = time.monotonic() + seconds

    def work(client: int) -> None:
        with psycopg.connect(url) as own:
            while time.monotonic() < until:
                row = (client + CLIENTS * (done[client] % 25),)
                own.execute("SELECT version FROM bench_table WHERE id = %s FOR NO KEY UPDATE", row)
                own.execute("INSERT INTO bench_move (body) VALUES ('p1 ds')")
                own.execute("UPDATE bench_table SET version = version + 1 WHERE id = %s", row)
                own.commit()
                done[client] += 1

    with spending() as used:
        in_threads(work)
    say(f"ceiling: {sum(done) / seconds:.0f} /s by {CLIENTS} clients, {per_piece(used, sum(done))}")
    return sum(done) / seconds
