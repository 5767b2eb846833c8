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
from typing import Final

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")

import django

django.setup()

from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from players.accounts.models import User
from rummy import PROFILES
from tables.lobby.table_templates.profiles import register_profile
from tables.models.seats import Seat
from tables.models.tables import StakeMode, Table
from tables.ratings.rating import NEWCOMER, skills_after

SEATS: Final = (2, 4, 6)
OF_HISTORY: Final = 4


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
    _fill(players=chosen.players, games=chosen.history)
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


def _fill(*, players: int, games: int) -> None:
    """Insert players, and finished pools of four between them with their seats and results."""
    people = User.objects.bulk_create(
        User(handle=f"bench{number}", email=f"bench{number}@example.com")
        for number in range(players)
    )
    profile = register_profile(PROFILES["total-rummy-pool-101"])
    now = timezone.now()
    one = Table(
        profile=profile,
        name="Bench",
        currency="PTS",
        entry_minor=0,
        stake_mode=StakeMode.CHIPS,
        phase=Table.Phase.FINISHED,
        starters=OF_HISTORY,
        started_at=now,
        finished_at=now,
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        one.save()
        seat = Seat.objects.create(table=one, player=people[0], number=1)
        _copy(
            one,
            {"public_id": "gen_random_uuid()", "finished_at": "finished_at - g * interval '1 s'"},
            f"generate_series(1, {games}) g",
        )
        first, step = people[0].pk, players // OF_HISTORY
        player = f"{first} + (t.id * 7919 + n * {step}) %% {players}"
        copies = f"(SELECT id FROM tables_table WHERE id <> {one.pk}) t"  # noqa: S608
        seats = f"{copies} CROSS JOIN generate_series(0, {OF_HISTORY - 1}) n"
        _copy(seat, {"table_id": "t.id", "number": "n + 1", "player_id": player}, seats)
        # One winner, and ties behind.
        cursor.execute(
            "INSERT INTO tables_result (table_id, seat_id, place, total, prize_minor)"
            " SELECT table_id, id, place, 25 * place, 0 FROM (SELECT *,"
            " least((number + table_id) %% %s + 1, 3) AS place"
            " FROM tables_seat WHERE table_id <> %s) s",
            [OF_HISTORY, one.pk],
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _copy(row: Model, changed: dict[str, str], source: str) -> None:
    """Insert copies of a row with these columns changed, one for each row of the source."""
    names = [field.column for field in row._meta.concrete_fields if not field.primary_key]
    values = [changed.get(name, f"c.{name}") for name in names]
    table = row._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(names)})"  # noqa: S608
            f" SELECT {', '.join(values)} FROM {table} c CROSS JOIN {source} WHERE c.id = %s",
            [row.pk],
        )


if __name__ == "__main__":
    main()
