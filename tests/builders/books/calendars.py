"""The calendar of booked days, which sample data turns back."""

from __future__ import annotations

from django.db import connection

from tests.builders.processes.logins import as_owner


def last_ended() -> int:
    """Return the last day that has ended, as the calendar counts days."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT ledger_last_ended_day() - date '2000-01-01'")
        ended: int = cursor.fetchone()[0]
    return ended


def set_calendar(ended: int) -> None:
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SELECT setval('ledger_ended_day', %s)", [ended])
