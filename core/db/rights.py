"""Rights and checks of all tables and columns, applied after every migration.

The rights of the application's role and the checks on dates are reapplied, because a column that a
migration adds has neither, and a copy of the database lacks the rights on the database itself.
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
    """Grant and revoke rights and add missing checks, as the owner of the schema."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for file in SQL:
            cursor.execute(sql_of(file))
