"""Many pools at once while the site's processes are killed: `python -m tests.soak`.

    python -m tests.soak [--pools 200] [--seconds 600] [--every 10] [--seed ...]

For so many seconds one of web, worker, clock, beat and Redis, now and then two of them, dies by -9
and is started again; about so many seconds after all are back at work comes the next death, so that
something is played on a slow machine too. Bots play in the workers, people over HTTP, and half of
them receive updates over sockets. All come from one address, so limits by address are lifted. The
site is then left alone until every game is over; the last line is a report in JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from itertools import cycle
from random import Random
from typing import Any, Protocol

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("BOT_THINK_SECONDS", "0.1")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("SOCKETS_PER_ADDRESS", "10000")
os.environ.setdefault("SOCKETS_PER_PLAYER", "1000")
# Everybody comes from one address.
os.environ.setdefault("THROTTLE_FACTOR", "1000")

from django.utils import timezone

from tests.soak.site import Site

SEATS = 4
PEOPLE_AT_LEAST = 12
IMPATIENT = {
    "turn_seconds": 3,
    "extra_seconds": 2,
    "meld_seconds": 3,
    "toss_seconds": 0,
    "start_seconds": 1,
    "gap_seconds": 3,
    "rejoin_seconds": 6,
    "split_seconds": 6,
}
# How long a table may stand still once nothing is killed any more, before it counts as stuck.
STUCK_SECONDS = 120.0
# How long the site may take to be whole again before the next death comes all the same.
WHOLE_AGAIN_SECONDS = 120.0


class Tended(Protocol):
    """A site whose dead processes are started again."""

    def tend(self) -> None: ...


def main() -> int:
    options = _parse()
    began = time.monotonic()
    site = Site()
    try:
        import django

        django.setup()
        report = _play(site, options, began)
    finally:
        site.close()
    sys.stdout.write(f"{json.dumps(report)}\n")
    return 0 if report["ok"] else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.soak", description=__doc__)
    parser.add_argument("--pools", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--every", type=float, default=10.0)
    parser.add_argument("--seed", default=str(time.time_ns()))
    return parser.parse_args()


def _play(site: Site, options: argparse.Namespace, began: float) -> dict[str, Any]:
    from devtools.schema import migrate_as_owner
    from tests.soak.crowd import Crowd, Person
    from tests.soak.findings import report_on
    from tests.soak.visits import Visit

    migrate_as_owner()
    site.open()
    tables = [open_pool(number) for number in range(options.pools)]
    people = [Person(number) for number in range(max(PEOPLE_AT_LEAST, options.pools // 4))]
    crowd = Crowd(site.port, options.seed)
    seats = ((table, offset) for table in tables for offset in (0, 1))
    crowd.start(
        Visit(crowd, table.public_id, person, hears_over_socket=offset == 0)
        for (table, offset), person in zip(seats, cycle(people), strict=False)
    )
    try:
        _kill_for_a_while(site, tables, options)
        wait_for_the_rest(site, tables)
    finally:
        crowd.end()
    return {"seed": options.seed} | report_on(tables, site, crowd, time.monotonic() - began)


def open_pool(number: int) -> Any:
    from rummy import PROFILES
    from tables.games import opening
    from tables.lobby.table_templates import profiles

    house_rules = PROFILES["total-rummy-pool-61" if number % 4 == 3 else "total-rummy-pool-101"]
    rules = house_rules.with_(name=f"{house_rules.name}-soak", **IMPATIENT)
    return opening.open_table(
        profile=profiles.register_profile(rules),
        name=f"Soak {number}",
        currency="PTS",
        entry_minor=100_00,
        rake_bps=1_000,
        seats_min=SEATS,
        seats_max=SEATS,
        bots_fill=True,
    )


def _kill_for_a_while(site: Site, tables: list[Any], options: argparse.Namespace) -> None:
    chance, next_ones = Random(options.seed), list[str]()
    until = time.monotonic() + options.seconds
    while time.monotonic() < until and _live(tables):
        time.sleep(options.every * chance.uniform(0.5, 1.5))
        for _ in range(chance.choice((1, 1, 1, 2))):
            next_ones = next_ones or chance.sample(site.names, len(site.names))
            name = next_ones.pop()
            if name in site.processes:  # Two turns of the list may meet in one.
                site.kill(name)
        time.sleep(chance.uniform(0.0, 2.0))
        site.tend()
        _wait_until_whole(site)
        _say(site, tables)


def _wait_until_whole(site: Site) -> None:
    """Wait until everybody is back at work, or has had the time to be."""
    from tables.integrity.moderation.table_figures import last_sweep
    from tables.state.deadlines import GAP_ALLOWED

    killed_at = timezone.now()
    until = time.monotonic() + WHOLE_AGAIN_SECONDS
    while time.monotonic() < until:
        beaten_at = last_sweep()
        if beaten_at is not None and beaten_at > killed_at + GAP_ALLOWED and site.answers():
            return
        time.sleep(0.5)
        site.tend()


def wait_for_the_rest(site: Tended, tables: list[Any]) -> None:
    """Wait until all games are over, as long as any of them goes on."""
    moved_at, version = time.monotonic(), -1
    while _live(tables) and time.monotonic() < moved_at + STUCK_SECONDS:
        time.sleep(1.0)
        site.tend()
        if (now := _versions(tables)) != version:
            moved_at, version = time.monotonic(), now
        if int(time.monotonic()) % 10 == 0:
            _say(site, tables)


def _live(tables: list[Any]) -> int:
    from tables.models.tables import Table

    return Table.objects.live().filter(pk__in=[table.pk for table in tables]).count()


def _versions(tables: list[Any]) -> int:
    from django.db.models import Sum

    from tables.models.tables import Table

    ours = Table.objects.filter(pk__in=[table.pk for table in tables])
    return int(ours.aggregate(sum=Sum("version"))["sum"])


def _say(site: Site, tables: list[Any]) -> None:
    over = len(tables) - _live(tables)
    sys.stderr.write(f"{over}/{len(tables)} games over, {site.kills.total()} kills\n")


if __name__ == "__main__":
    sys.exit(main())
