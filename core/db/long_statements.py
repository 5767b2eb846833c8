"""Longer timeouts for the few statements that read a whole ledger.

The application's statements time out after 30 seconds, so that a process that hangs does not block
others. Audits, daily closings and exports take longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

from core.db.replica import reading_connection

LONG: Final = "30min"


def allow_long_statements() -> None:
    """Set the timeout of further statements in this transaction to 30 minutes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [LONG])


@contextmanager
def long_statements() -> Iterator[None]:
    """Set the timeout of all statements within the block to 30 minutes, in any transaction."""
    connection = reading_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [LONG])
    try:
        yield
    finally:
        # A lost connection has no settings to restore.
        if connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, false)", [before])
