"""A rehearsal of production: `make rehearsal`, or `python -m tests.rehearsal`.

    python -m tests.rehearsal [--people 30] [--pools 60] [--calm 10] [--only TEXT] [--seed ...]

A house on several machines stands on this one (`site`), people and bots play pools through its
proxy, and one thing after the other happens to it (`events`). Each is a line of the report: moves
that were acknowledged and are lost, paise by which the books differ, hands shown to others, the
99th percentile of a move before, during and after, and for how long no page came. In the end every
game must be over and sound.

It is no test of pytest, which would tie so many processes to its own servers; it stands beside
`tests/soak`, whose crowd it lets play.
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
os.environ.setdefault("BOT_THINK_SECONDS", "0.3")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("SOCKETS_PER_ADDRESS", "10000")
os.environ.setdefault("SOCKETS_PER_PLAYER", "1000")
# Everybody comes from one address.
os.environ.setdefault("THROTTLE_FACTOR", "1000")

from tests.rehearsal.site import Site, missing_programs


def main() -> int:
    options = _parse()
    if missing := missing_programs():
        sys.stdout.write(f"No rehearsal: apt-get install {' '.join(missing)}\n")
        return 0
    began = time.monotonic()
    site = Site()
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
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--pools", type=int, default=60)
    parser.add_argument("--calm", type=float, default=10.0, help="seconds around each event")
    parser.add_argument("--only", default="", help="events whose name has this")
    parser.add_argument("--seed", default=str(time.time_ns()))
    return parser.parse_args()


def _rehearse(site: Site, options: argparse.Namespace, began: float) -> dict[str, Any]:
    from tests.rehearsal.events import events
    from tests.rehearsal.measures import Line, Prober, Times, measured
    from tests.soak.__main__ import open_pool, wait_for_the_rest
    from tests.soak.crowd import Crowd, Person
    from tests.soak.findings import report_on

    site.open()
    tables = [open_pool(number) for number in range(options.pools)]
    people = [Person(number) for number in range(options.people)]
    crowd = Crowd(site.ports["tls"], tables, people, options.seed, tls=site.tls)
    prober = Prober(site.ports["tls"], site.tls, people[0])
    lines: list[Line] = []
    _say(f"{datetime.now(UTC):%Y-%m-%d}: {options.people} people, {options.pools} pools")
    _say(" | ".join(Line.__dataclass_fields__))
    crowd.start()
    prober.start()
    try:
        time.sleep(options.calm)
        for name, happen in events(site):
            if options.only not in name:
                continue
            calm = time.monotonic()
            time.sleep(options.calm)
            struck = time.monotonic()
            note = happen() or ""
            over = time.monotonic()
            time.sleep(options.calm)
            times = Times(calm, struck, over, time.monotonic())
            lines.append(measured(name, note, crowd.tally, prober, times))
            _say(lines[-1].as_row())
        wait_for_the_rest(site, tables)
    finally:
        prober.stop.set()
        crowd.end()
    end = report_on(tables, site, crowd, time.monotonic() - began)
    return {"seed": options.seed} | end | {"ok": end["ok"] and all(line.ok for line in lines)}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
