"""The house's calendar: which day a transfer counts in, and how days end (docs/adr/0007)."""

from __future__ import annotations

from datetime import date
from typing import Final

from django.db import connection

# A day is marked as ended, its boundary is written, it is closed: each a transaction of its own.
# Before them a boundary may be missing, of a day that was marked by a process killed after it.
STEPS: Final = 4


def site_day() -> date:
    """Return the day a transfer would be booked on; exact while the caller holds accounts."""
    return _ask("ledger_site_day")


def is_closed(day: date) -> bool:
    """Return whether nothing can be booked on a day or before it any more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_is_closed(%s)", [day])
        closed: bool = cursor.fetchone()[0]
    return closed


def end_days() -> date:
    """End the days that are over, and return the first one that may still grow.

    A day over which a transaction is still running stays open; ask again later. Inside of a
    transaction that has written something nothing is ended.
    """
    for _ in range(STEPS):
        open_day = _ask("ledger_end_days")
    return open_day


def _ask(function: str) -> date:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}()")
        day: date = cursor.fetchone()[0]
        return day
