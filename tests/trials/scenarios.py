"""The two scenarios in which simulated people play while processes are killed."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import cycle
from random import Random
from typing import Any

from django.utils import timezone

from tables.integrity.moderation.table_figures import last_sweep
from tables.models.tables import Table
from tables.state.deadlines import GAP_ALLOWED
from tests.trials import measures
from tests.trials.events import events
from tests.trials.games import HASTY, IMPATIENT, UNHURRIED, guests, open_pool
from tests.trials.installation import Installation
from tests.trials.nodes.multinode import MultiNode
from tests.trials.people.crowd import Crowd, Person
from tests.trials.people.visits import Visit

SOAK_SEATS = 4
SOAK_PEOPLE_MIN = 12
# Seconds without a change at any table after which the remaining games count as stuck.
STUCK_SECONDS = 120.0
# Seconds after which the next process is killed even if the installation has not recovered.
RECOVERY_SECONDS = 120.0


def soak(site: Installation, options: argparse.Namespace) -> dict[str, Any]:
    """Play pools with two people and two bots each while processes are killed at random."""
    site.open()
    began = time.monotonic()
    tables = [
        open_pool(number, IMPATIENT, seats=SOAK_SEATS, limit=61 if number % 4 == 3 else 101)
        for number in range(options.pools)
    ]
    people = [Person(number) for number in range(max(SOAK_PEOPLE_MIN, options.pools // 4))]
    crowd = Crowd(site.port, options.seed)
    seats = ((table, place) for table in tables for place in (0, 1))
    visits = [
        Visit(crowd, table.public_id, person, by_socket=place == 0).play()
        for (table, place), person in zip(seats, cycle(people), strict=False)
    ]
    with crowd.playing(visits):
        _kill_at_random(site, options)
        _wait_until_over(site)
    report = measures.report_on(site, crowd, time.monotonic() - began)
    return {"seed": options.seed} | report


def _kill_at_random(site: Installation, options: argparse.Namespace) -> None:
    """Kill one or two processes at a time, each equally often, and restart them."""
    chance, names = Random(options.seed), list[str]()
    until = time.monotonic() + options.seconds
    while time.monotonic() < until and Table.objects.live().exists():
        time.sleep(options.every * chance.uniform(0.5, 1.5))
        for _ in range(chance.choice((1, 1, 1, 2))):
            names = names or chance.sample(site.all_names, len(site.all_names))
            name = names.pop()
            if name in site.processes:  # Two turns of the list may meet in one.
                site.kill(name)
        time.sleep(chance.uniform(0.0, 2.0))
        site.tend()
        _wait_until_recovered(site)
        _say_progress(site)


def _wait_until_recovered(site: Installation) -> None:
    """Wait until all processes answer and the clock's sweep runs again, or until the time is up."""
    killed_at = timezone.now()
    until = time.monotonic() + RECOVERY_SECONDS
    while time.monotonic() < until:
        swept_at = last_sweep()
        if swept_at is not None and swept_at > killed_at + GAP_ALLOWED and site.is_whole():
            return
        time.sleep(0.5)
        site.tend()


def rehearsal(site: MultiNode, options: argparse.Namespace) -> dict[str, Any]:
    """Play all kinds of games while one event after the other happens to the installation."""
    site.open()
    began = time.monotonic()
    happening = events(site, options.only or ())
    people = [Person(number) for number in range(options.people)]
    crowd = Crowd(site.port, options.seed, threads=16, think_seconds=options.think, tls=site.tls)
    prober = measures.Prober(site.port, site.tls, people[0])
    lines: list[measures.Line] = []
    _say(f"{datetime.now(UTC):%Y-%m-%d %H:%M}: {options.people} people, load {os.getloadavg()}")
    visits = list(guests(crowd, people, HASTY if options.small else UNHURRIED))
    with crowd.playing(visits), _probing(prober):
        time.sleep(2 * options.calm)
        _say(measures.head())
        for name, happen in happening:
            lines.append(measures.observed(name, happen, crowd.tally, prober, options.calm))
            _say(lines[-1].as_row())
        crowd.hurries = True
        _wait_until_over(site)
    end = measures.report_on(site, crowd, time.monotonic() - began)
    is_whole = end["ok"] and all(line.ok for line in lines)
    return {"seed": options.seed} | end | {"ok": is_whole}


@contextmanager
def _probing(prober: measures.Prober) -> Iterator[None]:
    prober.start()
    try:
        yield
    finally:
        prober.stop.set()


def _wait_until_over(site: Installation) -> None:
    """Wait until all games are over, as long as any table changes."""
    changed_at, versions = time.monotonic(), -1
    while not measures.all_is_over() and time.monotonic() < changed_at + STUCK_SECONDS:
        time.sleep(1.0)
        site.tend()
        if (now := measures.sum_of_versions()) != versions:
            changed_at, versions = time.monotonic(), now
        if int(time.monotonic()) % 10 == 0:
            _say_progress(site)


def _say_progress(site: Installation) -> None:
    tables, live = Table.objects.count(), Table.objects.live().count()
    sys.stderr.write(f"{tables - live}/{tables} games over, {site.kills.total()} kills\n")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
