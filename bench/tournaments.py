"""Drawing a field, and the pages of a tournament with a thousand entrants.

    python -m bench.tournaments [--entrants 1000] [--drawn 10000]

The reference of the draw is Python's own `random.shuffle` of the same ids, the reference of the
pages the lobby's page in the same run.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

# ruff: noqa: E402  The models are there once Django is set up.
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from devtools.simulation import tournaments as simulation
from rummy import PROFILES
from tables.lobby.table_templates import profiles
from tournaments.entries.models import Entry
from tournaments.planning.models import Tournament
from tournaments.rounds import clock
from tournaments.rounds.draw import draw_order, seat_in_turn

ROUNDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entrants", type=int, default=1000)
    parser.add_argument("--drawn", type=int, default=10_000)
    options = parser.parse_args()
    _draw(options.drawn)
    call_command("migrate", verbosity=0)
    _pages(_tournament(options.entrants))


def _draw(entrants: int) -> None:
    ids = [f"{number:032x}" for number in range(entrants)]
    ours = _best(lambda: seat_in_turn(draw_order(bytes(32), ids), 6))
    plain = _best(lambda: random.shuffle(list(ids)))
    print(f"draw of {entrants:,}: {ours * 1000:.1f} ms, {ours / plain:.1f} x random.shuffle")


def _tournament(entrants: int) -> Tournament:
    """Start a field of bots and open the tables of round 1; long work tells how far it is."""
    rules = PROFILES["total-rummy-pool-101"].with_(name="bench tournament", turn_seconds=3600)
    tournament = simulation.open_bot_tournament(
        profile=profiles.register_profile(rules),
        entrants=entrants,
        entry_minor=100_00,
        rake_bps=1_000,
    )
    began = time.perf_counter()
    for _ in range(4):
        clock.sweep(now=timezone.now())
        tournament.refresh_from_db()
        print(f"  {simulation.progress(tournament)}, {time.perf_counter() - began:.1f} s")
    entered = tournament.entries.filter(state=Entry.State.PLAYING).count()
    took = time.perf_counter() - began
    print(f"entering, drawing and seating {entered:,} entrants: {took:.1f} s")
    return tournament


def _pages(tournament: Tournament) -> None:
    client = Client(SERVER_NAME="127.0.0.1")
    lobby = _page(client, reverse("lobby"))
    for name in ("tournament", "tournament-standings", "tournament-draw"):
        address = reverse(name, args=[tournament.public_id])
        took = _page(client, address)
        print(f"{name}: median {took * 1000:.0f} ms, {took / lobby:.1f} x the lobby")


def _page(client: Client, address: str) -> float:
    client.get(address)
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = client.get(address)
        times.append(time.perf_counter() - began)
        if answer.status_code != 200:
            raise SystemExit(f"{address} answers {answer.status_code}")
    return statistics.median(times)


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
