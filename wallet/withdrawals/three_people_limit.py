"""The amount above which a withdrawal needs three people, copied to the database.

The application checks the setting; the database checks again at COMMIT, by a row that only the
schema's owner can write.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connections


def keep_limit(*, using: str, **_signal: Any) -> None:
    """Write `THREE_PEOPLE_ABOVE` into the installation's row, as the schema's owner."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "UPDATE wallet_installation SET three_people_above = %(above)s"
            " WHERE three_people_above <> %(above)s",
            {"above": settings.THREE_PEOPLE_ABOVE},
        )
