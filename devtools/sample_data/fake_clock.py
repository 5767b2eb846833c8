"""A fake clock for sample data: the database's, this process's, and repeatable random numbers.

Services and the ledger read `ledger_now()` of the database, and what is left of Django's own reads
`timezone.now`: both show the time of `FakeClock`. The database's clock runs on between two moves of
`FakeClock`, for the moments that the work itself takes. Seeds of deals and draws and public ids
come from one seed, so that the same data is generated again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from unittest.mock import patch
from uuid import UUID
from zoneinfo import ZoneInfo

import psycopg
import uuid_utils.compat
from django.conf import settings
from django.db import connection
from django.utils import timezone

from config import databases
from tables.history.fairness import seeds

# What a UUID of version 7 has of chance beside its time, version and variant.
CHANCE_BITS: Final = 74


class FakeClock:
    """What the clock on the wall shows; it goes on only when it is told to."""

    def __init__(self, began_at: datetime, seed: str, owner: psycopg.Connection[Any]) -> None:
        self.now, self._owner = began_at, owner
        self.chance = random.Random(seed)  # noqa: S311  Nothing secret comes of it.
        self._zone = ZoneInfo(settings.TIME_ZONE)

    @property
    def today(self) -> date:
        return self.now.astimezone(self._zone).date()

    def at(self, day: date, hour: int, minute: int = 0) -> datetime:
        """Return a moment of one of the house's days."""
        return datetime.combine(day, time(hour, minute), self._zone).astimezone(UTC)

    def think(self, seconds: float) -> None:
        """Let seconds pass."""
        self.now += timedelta(seconds=seconds)
        self.agree()

    def move_to(self, moment: datetime) -> None:
        """Let both clocks show this moment, or the present one if later."""
        self.now = max(self.now, moment)
        self.agree()

    def agree(self) -> None:
        """Let the database's clock show what this one does."""
        self._owner.execute("SELECT ledger_shift_clock(%s)", [self.now - datetime.now(UTC)])


@contextmanager
def fake_clock(*, began_on: date, seed: str) -> Iterator[FakeClock]:
    """Let a house that has booked nothing begin on that day; the present comes back at the end."""
    with _owner() as owner:
        owner.execute("SET synchronous_commit = off")  # The clock is moved before every move.
        owner.execute("SELECT ledger_begin_days(%s)", [began_on])
        began_at = datetime.combine(began_on, time(9), ZoneInfo(settings.TIME_ZONE))
        house = FakeClock(began_at.astimezone(UTC), seed, owner)
        chance = random.Random(f"{seed} seeds")  # noqa: S311
        try:
            house.agree()
            with (
                patch.object(timezone, "now", lambda: house.now),
                patch.object(seeds, "drawn", lambda *, simulated_as: chance.randbytes(32)),
                patch.object(uuid_utils.compat, "uuid7", lambda: _public_id(house.now, chance)),
            ):
                yield house
        finally:
            owner.execute("SELECT ledger_shift_clock('0')")


def _public_id(now: datetime, chance: random.Random) -> UUID:
    """Return a UUID of version 7 of this moment."""
    drawn = chance.getrandbits(CHANCE_BITS)
    high, low = drawn >> 62, drawn & (1 << 62) - 1
    milliseconds = int(now.timestamp() * 1_000)
    return UUID(int=milliseconds << 80 | 7 << 76 | high << 64 | 2 << 62 | low)


def _owner() -> psycopg.Connection[Any]:
    """Connect as the owner of the schema, who alone may shift the ledger's clock."""
    owner, database = databases.owner(), connection.settings_dict
    return psycopg.connect(
        dbname=database["NAME"],
        user=owner["USER"] or None,
        password=owner["PASSWORD"] or None,
        host=owner["HOST"] or owner.get("OPTIONS", {}).get("host"),
        port=owner["PORT"] or None,
        autocommit=True,
    )
