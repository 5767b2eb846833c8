"""Simulate an installation whose clock, workers and network one seed chooses.

    python -m tests.simulation --seed N [--days D] [--seconds S]

Bots and people play pools, points tables and tournaments, deposit and withdraw, and finance closes
each day, over PostgreSQL and in virtual time. Messages are lost, late and delivered twice, the
broker restarts, connections end before a commit or before its answer, and the clock jumps. After
each day the audit must be clean, finished games empty and traces of `tests/model`, and nothing
overdue. The last line is a report in JSON; the same seed gives the same `events`.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seconds", type=float, help="end after the day in which they are over")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from devtools import launcher
    from tests.trials.installation import migrated_datadir

    servers = launcher.start(migrated_datadir(), durable=False)
    assert servers is not None, "a throw-away directory has no other user"
    try:
        report = _simulate(options)
    finally:
        servers.stop()
    print(json.dumps(report))  # noqa: T201
    if report["ok"]:
        return 0
    again = f"python -m tests.simulation --seed {options.seed} --days {report['days']}"
    print(f"replay: {again}", file=sys.stderr)  # noqa: T201
    return 1


def _simulate(options: argparse.Namespace) -> dict[str, object]:
    import django

    django.setup()
    logging.disable(logging.CRITICAL)  # Faults are expected; findings are in the report.
    from devtools.schema import mark_demo
    from tests.simulation.installation import simulate

    mark_demo()
    return simulate(
        options.seed,
        options.days,
        progress=lambda line: print(line, file=sys.stderr, flush=True),  # noqa: T201
        seconds=options.seconds,
    ).as_row()


if __name__ == "__main__":
    raise SystemExit(main())
