"""A rehearsal of production: `make rehearsal`, or `python -m tests.rehearsal`.

    python -m tests.rehearsal [--people 60] [--think 4] [--calm 10] [--only TEXT] [--by-hand]

An installation of several machines runs on this one (`site`), people and bots play through its
proxy (`games`), and one thing after the other happens to it (`events`). Each is a line of the
report (`measures`). In the end every game must be over and sound, and no money left in an escrow.

It is no test of pytest, which would tie so many processes to its own servers; it stands beside
`tests/soak`, whose crowd it lets play. `test_small_rehearsal.py` runs a small one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from datetime import UTC, datetime
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("SOCKETS_PER_ADDRESS", "10000")
os.environ.setdefault("SOCKETS_PER_PLAYER", "1000")
# Each process would compile all its modules anew, as long as it takes to start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Everybody comes from one address.
os.environ.setdefault("THROTTLE_FACTOR", "1000")

from tests.rehearsal.site import FLEET, SMALL_FLEET, Site, missing_programs

# How long the last games may take, in which everybody hurries.
END_SECONDS = 600.0


def main() -> int:
    options = _parse()
    if missing := missing_programs(by_hand=options.by_hand):
        sys.stdout.write(f"No rehearsal: apt-get install {' '.join(missing)}\n")
        return 0
    began = time.monotonic()
    site = Site(by_hand=options.by_hand, fleet=SMALL_FLEET if options.small else FLEET)
    try:
        import django

        django.setup()
        report = _rehearse(site, options, began)
    finally:
        site.close()
    sys.stdout.write(f"{json.dumps(report)}\n")
    return 0 if report["ok"] else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.rehearsal", description=__doc__)
    parser.add_argument("--people", type=_people, default=60, help="up to 300")
    parser.add_argument("--think", type=float, default=4.0, help="seconds before a move")
    parser.add_argument("--calm", type=float, default=10.0, help="seconds around each event")
    parser.add_argument("--only", action="append", help="events whose name has this")
    parser.add_argument("--by-hand", action="store_true", help="a replica without Patroni")
    parser.add_argument("--small", action="store_true", help="a third of the processes")
    parser.add_argument("--seed", default=str(time.time_ns()))
    return parser.parse_args()


def _people(text: str) -> int:
    number = int(text)
    if not 2 <= number <= 300:
        raise argparse.ArgumentTypeError("2 to 300")
    return number


def _rehearse(site: Site, options: argparse.Namespace, began: float) -> dict[str, Any]:
    from tests.rehearsal.events import events
    from tests.rehearsal.games import HASTY, UNHURRIED, Games, escrow_left
    from tests.rehearsal.measures import Line, Prober, head, observed
    from tests.soak.crowd import Crowd, Person
    from tests.soak.findings import report_on

    site.open()
    happening = events(site, options.only or ())
    people = [Person(number) for number in range(options.people)]
    games = Games(people, HASTY if options.small else UNHURRIED)
    crowd = Crowd(
        site.ports["tls"], options.seed, threads=16, think_seconds=options.think, tls=site.tls
    )
    prober = Prober(site.ports["tls"], site.tls, people[0])
    lines: list[Line] = []
    _say(f"{datetime.now(UTC):%Y-%m-%d %H:%M}: {options.people} people, load {os.getloadavg()}")
    crowd.start(games.guests(crowd))
    prober.start()
    try:
        time.sleep(2 * options.calm)
        _say(head())
        for name, happen in happening:
            lines.append(observed(name, happen, crowd.tally, prober, options.calm))
            _say(lines[-1].as_row())
        crowd.hurries = True
        _wait_until_over(site, games)
    finally:
        prober.stop.set()
        crowd.end()
    end = report_on(games.tables, site, crowd, time.monotonic() - began)
    left = escrow_left()
    is_whole = end["ok"] and not left and all(line.ok for line in lines)
    return {"seed": options.seed} | end | {"escrow_left_anywhere": left, "ok": is_whole}


def _wait_until_over(site: Site, games: Any) -> None:
    until = time.monotonic() + END_SECONDS
    while not games.is_over() and time.monotonic() < until:
        time.sleep(1.0)
        site.tend()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
