"""The two clocks: the database's, which decides, and a process's, which may be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from unittest.mock import patch

from django.db import connection
from django.utils import timezone

from core.clock import database_now
from tests.builders.processes.logins import as_owner


def shift_clock(by: timedelta) -> None:
    """Shift `ledger_now()` from the server's time by this interval."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SELECT ledger_shift_clock(%s)", [by])


def clock_shift() -> timedelta:
    """Return by how much `ledger_now()` differs from the server's time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_shift FROM wallet_installation")
        shift: timedelta = cursor.fetchone()[0]
        return shift


def let_pass(**time: float) -> None:
    """Advance the database's clock by this interval."""
    shift_clock(clock_shift() + timedelta(**time))


def move_clock(to: datetime) -> None:
    """Let the database's clock show this time; it runs on from there."""
    shift_clock(clock_shift() + (to - database_now()))


@contextmanager
def _shifted(by: timedelta) -> Iterator[None]:
    before = clock_shift()
    shift_clock(before + by)
    try:
        yield
    finally:
        if not connection.needs_rollback:
            shift_clock(before)


def at_time(moment: datetime) -> AbstractContextManager[None]:
    """Let the database's clock show this time within the block."""
    return _shifted(moment - database_now())


def later(**time: float) -> AbstractContextManager[None]:
    """Advance the database's clock by this interval within the block."""
    return _shifted(timedelta(**time))


@contextmanager
def process_clock(*, ahead: float) -> Iterator[None]:
    """Let this process's clock be so many seconds ahead of the server's, or behind (negative)."""
    right = timezone.now
    with patch.object(timezone, "now", lambda: right() + timedelta(seconds=ahead)):
        yield
