"""The ledger's days: which day a transfer is booked on, and how days end (docs/adr/0007)."""

from __future__ import annotations

from datetime import date
from typing import Final

from django.db import connection

# Ending a day takes three transactions: mark it as ended, write its boundary, close it.
# One more writes the boundary that a killed process left out.
STEPS: Final = 4


def site_day() -> date:
    """Return the day a transfer would be booked on; exact while the caller holds account locks."""
    return _ask("ledger_site_day")


def is_closed(day: date) -> bool:
    """Return whether this day and all earlier ones accept no more transfers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_is_closed(%s)", [day])
        closed: bool = cursor.fetchone()[0]
    return closed


def end_days() -> date:
    """End past days and close those that can be closed; return the first day still open.

    A day stays open while a transaction that may book on it runs; call again later. Does
    nothing inside a transaction that has written something.
    """
    for _ in range(STEPS):
        open_day = _ask("ledger_end_days")
    return open_day


def _ask(function: str) -> date:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}()")
        day: date = cursor.fetchone()[0]
        return day
