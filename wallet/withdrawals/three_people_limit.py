"""The amount above which three people see to a withdrawal, as the database knows it.

The application refuses a second step of one person by the setting; the database asks at COMMIT
again, by a row that only the owner of the schema writes.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connections


def keep_limit(*, using: str, **_signal: Any) -> None:
    """Write `THREE_PEOPLE_ABOVE` into the house's row, as the owner of the schema."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "UPDATE wallet_installation SET three_people_above = %(above)s"
            " WHERE three_people_above <> %(above)s",
            {"above": settings.THREE_PEOPLE_ABOVE},
        )
