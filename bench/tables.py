"""What a move, a view and a settlement cost through the services, on servers of their own.

    python -m bench.tables [--seconds 4] [--profile]

The reference is what PostgreSQL does for any move, in plain SQL on the same connection: lock a
row, insert a row, update the row, commit.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import time
from collections.abc import Callable
from uuid import uuid4

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

# ruff: noqa: E402  The models are there once Django is set up.
from django.core.management import call_command
from django.db import connection, transaction

from rummy import PROFILES
from tables.models import Table
from tables.selectors import table_view
from tables.services import play, profiles, settlement, simulation
from tables.state import fold_of

RULES = PROFILES["total-rummy-pool-101"].with_(
    name="bench", turn_seconds=3600, gap_seconds=0, toss_seconds=0, start_seconds=0
)


class Game:
    """A table of six that draws and throws what it drew, dealt anew when a deal ends."""

    def __init__(self) -> None:
        self.table = simulation.open_bot_game(
            profile=profiles.register_profile(RULES), name="bench", players=6, entry_minor=100_00
        )
        self._sit()

    def _sit(self) -> None:
        self.table = Table.objects.select_related("profile").get(pk=self.table.pk)
        self.deal = self.table.deals.get(no=self.table.deal_no)
        self.places = list(self.deal.deal_seats.select_related("seat__player"))

    def move(self) -> None:
        state = fold_of(self.deal).state
        if state.phase != "playing":
            settlement.settle_deal(deal_id=self.deal.pk)
            self.__init__()
            return
        place = self.places[state.to_act - 1]
        play.play(
            seat_id=place.seat_id,
            move_id=uuid4(),
            text="ds" if state.drawn is None else f"x {state.drawn}",
            expected_version=Table.objects.values_list("version", flat=True).get(pk=self.table.pk),
        )

    def view(self) -> None:
        table_view(self.table, self.places[0].seat.player)


def reference() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT version FROM bench_table WHERE id = 1 FOR NO KEY UPDATE")
        cursor.execute("INSERT INTO bench_move (body) VALUES ('p1 ds')")
        cursor.execute("UPDATE bench_table SET version = version + 1 WHERE id = 1")


def rate(work: Callable[[], None], seconds: float) -> tuple[float, float]:
    """Return how often the work is done a second, and its own processor time in milliseconds.

    Other programs on the machine slow the first down, but hardly change the second.
    """
    done, began, own = 0, time.perf_counter(), time.process_time()
    while (passed := time.perf_counter() - began) < seconds:
        work()
        done += 1
    return done / passed, 1000 * (time.process_time() - own) / done


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=4.0)
    arguments.add_argument("--profile", action="store_true")
    options = arguments.parse_args()

    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_table (id int PRIMARY KEY, version int)")
        cursor.execute("CREATE TABLE bench_move (id bigserial PRIMARY KEY, body text)")
        cursor.execute("INSERT INTO bench_table VALUES (1, 0)")
    game = Game()
    base, own = rate(reference, options.seconds / 2)
    print(f"reference (plain SQL)  {base:8.0f} /s  {own:6.2f} ms of Python")
    for name, work in (("move", game.move), ("view", game.view)):
        profiler = cProfile.Profile()
        if options.profile:
            profiler.enable()
        got, own = rate(work, options.seconds)
        profiler.disable()
        times = f"{got:8.0f} /s  {own:6.2f} ms of Python  reference / {base / got:.1f}"
        print(f"{name:<22} {times}")
        if options.profile:
            pstats.Stats(profiler).sort_stats("cumtime").print_stats(45)


if __name__ == "__main__":
    main()
