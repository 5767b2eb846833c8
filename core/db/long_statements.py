"""More time for the few statements that read a whole ledger.

The application's statements end after half a minute, so that a process that hangs holds nothing up.
Audits, closes of days and exports take longer, and ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

from core.db.replica import reading_connection

LONG: Final = "30min"


def allow_long_statements() -> None:
    """Let each further statement of this database transaction take half an hour."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [LONG])


@contextmanager
def long_statements() -> Iterator[None]:
    """Let each statement within the block take half an hour, in whatever transaction it runs."""
    connection = reading_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [LONG])
    try:
        yield
    finally:
        # A connection that was lost has taken its settings along.
        if connection.connection is not None and not connection.connection.closed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, false)", [before])
