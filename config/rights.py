"""What the application's role may do, said again after every migration.

Rights are a state, not a history: a column that a migration adds has none yet, and a copy of the
database has lost those of the database itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from django.db import connections

import players

SQL: Final = (
    Path(players.__file__).parent / "sql" / "database.sql",
    Path(__file__).parent / "sql" / "rights.sql",
)


def grant_rights(*, using: str, **_signal: Any) -> None:
    """Bring the rights of `rummy_app` to what they are to be; as the owner of the schema."""
    with connections[using].cursor() as cursor:
        for file in SQL:
            cursor.execute(file.read_text())
