"""Writes what simulated people played as the product does, and runs the product's search on it."""

# ruff: noqa: E402  The servers must run before Django reads its settings.

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any, Final

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
os.environ.setdefault("LOG_LEVEL", "WARNING")

import django

django.setup()

from django.core.management import call_command
from django.db import connection
from django.db.models import Model

from bench.collusion.people import RULES, Played, Sitting
from players.accounts.models import User
from tables.integrity.collusion.actions import find_pairs
from tables.integrity.collusion.counts import Span
from tables.lobby.table_templates import profiles
from tables.models.deals import Deal, Move
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.seats.models import SeatOrigin

if TYPE_CHECKING:
    from bench.collusion.__main__ import Population

DAYS: Final = 28
FIRST_DAY: Final = date(2026, 1, 1)
_numbers = count(1)


def furnish() -> None:
    """Make the database."""
    call_command("migrate", verbosity=0)


def search(
    population: Population, sittings: Sequence[Sitting], played: Sequence[Sequence[Played]]
) -> set[tuple[int, int]]:
    """Store the play of a population on separate days, search them, and return the found pairs."""
    first_day = FIRST_DAY + timedelta(days=2 * DAYS * population.seed)
    users = {
        key: User.objects.create_user(
            handle=f"s{population.seed}_{key}", email=f"s{population.seed}_{key}@example.com"
        )
        for key in population.people
    }
    write(rows_of(population, first_day, users, sittings, played))
    span = Span(first_day, first_day + timedelta(days=DAYS - 1), "INR")
    began = time.monotonic()
    findings = find_pairs(span=span, now=datetime.now(UTC))
    print(f"  searched in {time.monotonic() - began:.1f} s", flush=True)
    for finding in findings:
        _say(population, users, finding)
    keys = {user.pk: key for key, user in users.items()}
    pairs = [(keys[finding.one_id], keys[finding.other_id]) for finding in findings]
    return {(min(pair), max(pair)) for pair in pairs}


def _say(population: Population, users: Mapping[int, User], finding: Any) -> None:
    keys = {user.pk: key for key, user in users.items()}
    pair = tuple(sorted((keys[finding.one_id], keys[finding.other_id])))
    what = population.planted.get(pair) or (
        "household" if pair in population.households else "strangers"
    )
    facts = finding.facts.filter(z__gte=finding.threshold)
    figures = ", ".join(f"{fact.kind} {fact.seen} of {fact.cases} z {fact.z:.1f}" for fact in facts)
    print(f"    {what}: {figures}", flush=True)


def rows_of(
    population: Population,
    first_day: date,
    users: Mapping[int, User],
    sittings: Sequence[Sitting],
    played: Sequence[Sequence[Played]],
) -> dict[type[Model], list[dict[str, Any]]]:
    """Return the rows of all tables, seats, deals, scores and moves."""
    chance, profile = population.chance, profiles.register_profile(RULES)
    home = {key: min(pair) for pair in population.networks for key in pair}
    rows: dict[type[Model], list[dict[str, Any]]] = {
        model: [] for model in (Table, Seat, SeatOrigin, Deal, Score, Move)
    }
    begins = datetime.combine(first_day, datetime.min.time(), UTC) + timedelta(hours=6)
    for sitting, deals in zip(sittings, played, strict=True):
        at = begins + timedelta(seconds=chance.randrange((DAYS - 1) * 86_400))
        table = next(_numbers)
        rows[Table].append(
            {
                "id": table,
                "profile_id": profile.pk,
                "name": "bench",
                "stake_mode": "chips",
                "currency": "INR",
                "entry_minor": 100,
                "phase": "finished",
                "created_at": at,
                "started_at": at,
                "finished_at": at,
            }
        )
        seats = {}
        for one in sitting.people:
            seats[one.key] = next(_numbers)
            waits = chance.randrange(5 if one.key in home else 300)
            rows[Seat].append(
                {
                    "id": seats[one.key],
                    "table_id": table,
                    "player_id": users[one.key].pk,
                    "joined_at": at + timedelta(seconds=waits),
                    "seen_at": at,
                }
            )
            rows[SeatOrigin].append(
                {
                    "id": next(_numbers),
                    "table_id": table,
                    "seat_id": seats[one.key],
                    "network_hash": f"home {home.get(one.key, one.key)}",
                    "at": at,
                }
            )
        for number, deal in enumerate(deals, start=1):
            _add_deal(rows, deal, number, seats, at + timedelta(minutes=5 * number))
    return rows


def _add_deal(
    rows: dict[type[Model], list[dict[str, Any]]],
    deal: Played,
    number: int,
    seats: Mapping[int, int],
    at: datetime,
) -> None:
    key, table = next(_numbers), rows[Table][-1]["id"]
    rows[Deal].append(
        {
            "id": key,
            "table_id": table,
            "no": number,
            "status": "settled",
            "commitment": "",
            "chain": "",
            "committed_at": at,
            "started_at": at,
            "ended_at": at,
            "settled_at": at,
        }
    )
    for player, (how, points) in zip(deal.players, deal.results, strict=True):
        rows[Score].append(
            {
                "id": next(_numbers),
                "table_id": table,
                "deal_id": key,
                "seat_id": seats[player],
                "points": points,
                "total_after": 0,
                "how": how,
            }
        )
    for ply, (player, text) in enumerate(deal.moves, start=1):
        rows[Move].append(
            {
                "id": next(_numbers),
                "table_id": table,
                "deal_id": key,
                "ply": ply,
                "dealt_on": at.date(),
                "seat_id": seats[player],
                "text": text,
                "origin": "player",
                "version": ply,
                "made_at": at,
            }
        )


def write(rows: Mapping[type[Model], Iterable[Mapping[str, Any]]]) -> None:
    """Copy rows into their tables as the owner, the guards of play held back."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        for model, values in rows.items():
            fields = [field for field in model._meta.concrete_fields if not field.generated]
            names = ", ".join(field.column for field in fields)
            copy = f"COPY {model._meta.db_table} ({names}) FROM STDIN"
            with cursor.copy(copy) as sink:
                for row in values:
                    sink.write_row(
                        [
                            row[field.attname]
                            if field.attname in row
                            else field.get_db_prep_save(field.get_default(), connection)
                            for field in fields
                        ]
                    )
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("ANALYZE")
