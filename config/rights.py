"""What holds for every table and column, said again after every migration.

The rights of the application's role, and that no date is infinite, are a state, not a history: a
column that a migration adds has neither yet, and a copy of the database has lost the rights of the
database itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.db import connections, transaction

import players
from wallet.services.schema_record import record_schema

SQL: Final = (
    Path(players.__file__).parent / "sql" / "database.sql",
    Path(__file__).parent / "sql" / "rights.sql",
    Path(__file__).parent / "sql" / "finite_dates.sql",
)


def grant_rights(*, using: str, **_signal: Any) -> None:
    """Bring rights and checks to what they are to be, and record the schema; as its owner."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for file in SQL:
            cursor.execute(file.read_text())
        record_schema(cursor)
