"""What holds for every table and column, said again after every migration.

The rights of the application's role, and that no date is infinite, are a state, not a history: a
column that a migration adds has neither yet, and a copy of the database has lost the rights of the
database itself.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import connections, transaction

from core.db.schema import sql_of

DATABASE_RIGHTS: Final = "core.db.database"
SQL: Final = (
    DATABASE_RIGHTS,
    "core.db.rights",
    "core.db.login_rights",
    "core.db.finite_dates",
)


def grant_rights(*, using: str, **_signal: Any) -> None:
    """Bring rights and checks to what they are to be, as the owner of the schema."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for file in SQL:
            cursor.execute(sql_of(file))
