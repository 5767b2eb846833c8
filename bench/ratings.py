"""Rating updates a second, of the formula alone and with the database.

    python -m bench.ratings [--games 5000] [--players 1000] [--history 100000]

The formula is measured in processor time for two, four and six players with ties. Then a history of
finished four-player pools is inserted, the ledger's guards held back, and `manage.py
recompute_ratings` computes and checks its ratings.
"""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from players.accounts.models import User
from rummy import PROFILES
from tables.integrity.scope import batched
from tables.lobby.table_templates.profiles import register_profile
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.ratings.rating import NEWCOMER, skills_after
from tables.settlement.models import Result

SEATS: Final = (2, 4, 6)
OF_HISTORY: Final = 4
BATCH: Final = 500


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--games", type=int, default=5_000)
    options.add_argument("--players", type=int, default=1_000)
    options.add_argument("--history", type=int, default=100_000)
    chosen = options.parse_args()
    chance = random.Random(1)
    for seats in SEATS:
        skills = [NEWCOMER] * chosen.players
        began = time.process_time()
        for _ in range(chosen.games):
            players = sorted(chance.sample(range(chosen.players), seats))
            after = skills_after([skills[player] for player in players], _places(chance, seats))
            for player, skill in zip(players, after, strict=True):
                skills[player] = skill
        seconds = time.process_time() - began
        print(
            f"{seats} players: {chosen.games / seconds:,.0f} games/s, "
            f"{chosen.games * seats / seconds:,.0f} rating updates/s"
        )
    call_command("migrate", verbosity=0)
    _fill(chance, players=chosen.players, games=chosen.history)
    call_command("recompute_ratings")
    began = time.monotonic()
    call_command("recompute_ratings", check=True)
    seconds = time.monotonic() - began
    updates = chosen.history * OF_HISTORY
    print(
        f"--check of {chosen.history:,} games: {seconds:.0f} s, {updates / seconds:,.0f} updates/s"
    )


def _places(chance: random.Random, seats: int) -> list[int]:
    """Return the places of a game with one winner and ties behind."""
    places = [1, *(chance.randint(2, seats) for _ in range(seats - 1))]
    chance.shuffle(places)
    return places


def _fill(chance: random.Random, *, players: int, games: int) -> None:
    """Insert players, and finished pools between them with their seats and results."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        people = User.objects.bulk_create(
            User(handle=f"bench{number}", email=f"bench{number}@example.com")
            for number in range(players)
        )
        for tables in batched(_finished_tables(games), BATCH):
            Table.objects.bulk_create(tables)
            seats = Seat.objects.bulk_create(
                Seat(table=table, player=player, number=number)
                for table in tables
                for number, player in enumerate(chance.sample(people, OF_HISTORY), start=1)
            )
            places = [place for _ in tables for place in _places(chance, OF_HISTORY)]
            Result.objects.bulk_create(
                Result(table=seat.table, seat=seat, place=place, total=25 * place)
                for seat, place in zip(seats, places, strict=True)
            )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _finished_tables(games: int) -> Iterator[Table]:
    profile = register_profile(PROFILES["total-rummy-pool-101"])
    first = timezone.now() - timedelta(seconds=games + 60)
    for number in range(games):
        yield Table(
            profile=profile,
            name="Bench",
            currency="PTS",
            entry_minor=0,
            stake_mode=StakeMode.CHIPS,
            phase=Table.Phase.FINISHED,
            starters=OF_HISTORY,
            started_at=first,
            finished_at=first + timedelta(seconds=number),
        )


if __name__ == "__main__":
    main()
