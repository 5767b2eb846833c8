"""A fake clock for the database and this process, and repeatable random numbers.

Services and the ledger read the database's `ledger_now()`, Django's own code reads `timezone.now`;
both return the time of `FakeClock`. Between two moves of `FakeClock` the database's clock runs on.
Seeds of deals and draws and public ids are derived from one seed, so that the same data is
generated again.
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
from tables.state.deadlines import SWEEP
from wallet.audit import schema_record

# The random bits of a UUIDv7 beside its time, version and variant.
CHANCE_BITS: Final = 74

# The database's time stands still between two moves of the fake clock: the machine's speed plays
# no part in what is overdue. Only the ledger's own rows read the running clock. The sweep has run
# every second until then, except during a jump.
FROZEN: Final = """
    CREATE TABLE simulated_clock (at timestamptz NOT NULL);
    INSERT INTO simulated_clock SELECT ledger_now();
    GRANT SELECT ON simulated_clock TO PUBLIC;
    CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    BEGIN
        RETURN (SELECT at FROM simulated_clock);
    END
    $$;
    CREATE FUNCTION simulated_advance(moment timestamptz, shift interval, sweep text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT ledger_shift_clock(shift);
        UPDATE simulated_clock SET at = moment;
        UPDATE tables_heartbeat SET beat_at = moment WHERE name = sweep;
    $$
"""


class FakeClock:
    """A fake clock, advanced manually, with a seeded random generator `chance`."""

    def __init__(self, began_at: datetime, seed: str, owner: psycopg.Connection[Any]) -> None:
        self.now, self._owner = began_at, owner
        self.chance = random.Random(seed)  # noqa: S311  Nothing secret comes of it.
        self._zone = ZoneInfo(settings.TIME_ZONE)

    @property
    def today(self) -> date:
        return self.now.astimezone(self._zone).date()

    def at(self, day: date, hour: int, minute: int = 0) -> datetime:
        """Return a time of day on a date, in the site's time zone."""
        return datetime.combine(day, time(hour, minute), self._zone).astimezone(UTC)

    def think(self, seconds: float) -> None:
        """Advance the clock by some seconds."""
        self.now += timedelta(seconds=seconds)
        self.agree()

    def move_to(self, moment: datetime) -> None:
        """Advance both clocks to this time, unless it has passed."""
        self.now = max(self.now, moment)
        self.agree()

    def agree(self) -> None:
        """Set the database's clock to this clock's time."""
        self._owner.execute("SELECT ledger_shift_clock(%s)", [self.now - datetime.now(UTC)])


@contextmanager
def fake_clock(*, began_on: date, seed: str) -> Iterator[FakeClock]:
    """Start both clocks on that day, in a database without transfers; restore them at the end."""
    with _owner() as owner:
        owner.execute("SET synchronous_commit = off")  # The clock is advanced before every move.
        owner.execute("SELECT ledger_begin_days(%s)", [began_on])
        began_at = datetime.combine(began_on, time(9), ZoneInfo(settings.TIME_ZONE))
        site_clock = FakeClock(began_at.astimezone(UTC), seed, owner)
        chance = random.Random(f"{seed} seeds")  # noqa: S311
        try:
            site_clock.agree()
            with (
                patch.object(timezone, "now", lambda: site_clock.now),
                patch.object(seeds, "drawn", lambda *, simulated_as: chance.randbytes(32)),
                patch.object(
                    uuid_utils.compat, "uuid7", lambda: _public_id(site_clock.now, chance)
                ),
            ):
                yield site_clock
        finally:
            owner.execute("SELECT ledger_shift_clock('0')")


def freeze(site_clock: FakeClock) -> None:
    """Let no time pass in the database between two moves of the clock, in `advance_frozen`."""
    with site_clock._owner.transaction(), site_clock._owner.cursor() as cursor:
        cursor.execute(FROZEN)
        cursor.execute("SET LOCAL TIME ZONE 'UTC'")  # As in migrations: definitions contain times.
        schema_record._record(cursor)  # The audit finds what is not as recorded.


def advance_frozen(site_clock: FakeClock, *, sweep: str = SWEEP) -> None:
    """Set the frozen clock of the database; `sweep` is the heartbeat that ran until then."""
    shift = site_clock.now - datetime.now(UTC)
    advance = "SELECT simulated_advance(%s, %s, %s)"
    site_clock._owner.execute(advance, [site_clock.now, shift, sweep])


def _public_id(now: datetime, chance: random.Random) -> UUID:
    """Return a UUIDv7 of this time."""
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
