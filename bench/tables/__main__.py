"""What tables bear: moves over the whole stack, sockets, timers, idle tables.

    python -m bench.tables [part ...] [--seconds 10] [--tables 200] [--live 2000] [--idle 100000]

Always first is the ceiling: lock a row, insert a row, update the row, commit, through psycopg;
PostgreSQL does that for any move. Parts, all by default: `service` (a move and a view without
HTTP), `wsgi` (session, CSRF, POST, commit, hint, no sockets open), `sockets` (six live sockets a
table, HTTP under WSGI and sockets under ASGI), `scores` (the end of a deal to its posted scores, by
a worker), `timers` (how late a turn's end is applied) and `sweep` (one sweep over idle tables). The
load comes from this process, on the same processors; the servers are throw-away ones that wait for
the disk at each commit, as those of a deployment do, and so does the ceiling.
Read rates beside the ceiling, the load that is printed first, and the processor time per move.
"""

from __future__ import annotations

import argparse
import os

from django.core.management import call_command
from django.db import close_old_connections

from bench.tables.site import say

# ruff: noqa: I001  The site sets Django up before anything else of the project is read.
from bench.tables.ceiling import ceiling
from bench.tables.clocks import sweep, timers
from bench.tables.live import sockets
from bench.tables.service import service
from bench.tables.settled import scores
from bench.tables.web import wsgi

PARTS = ("service", "wsgi", "sockets", "scores", "sweep", "timers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="part")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--live", type=int, default=2_000)
    parser.add_argument("--idle", type=int, default=100_000)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--pace", type=float, default=150.0)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    say(f"machine: {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the run")
    say(f"throttles: {os.environ.get('THROTTLE_FACTOR', '1')} times the usual rates")
    base = ceiling(min(options.seconds, 5.0))
    run = {
        "service": lambda: service(options.seconds),
        "wsgi": lambda: wsgi(options.tables, options.seconds, base),
        "sockets": lambda: sockets(options.tables, options.seconds, base, options.pace),
        "scores": lambda: scores(options.deals),
        "sweep": lambda: sweep(options.idle),
        "timers": lambda: timers(options.live),
    }
    for part in options.parts or PARTS:
        run[part]()
    close_old_connections()


if __name__ == "__main__":
    main()
