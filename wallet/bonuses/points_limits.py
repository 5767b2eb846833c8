"""Maxima of play points grants, copied from the settings to the database.

The application grants by the settings; the database refuses more at COMMIT, by a row that only the
schema's owner can write.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connections


def keep_points_limits(*, using: str, **_signal: Any) -> None:
    """Write `PLAY_POINTS_SIGN_UP` and `PLAY_POINTS_REFILL_TO` as the schema's owner."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "UPDATE wallet_installation SET sign_up_points_minor = %(sign_up)s,"
            " refill_points_to_minor = %(refill_to)s"
            " WHERE (sign_up_points_minor, refill_points_to_minor) <> (%(sign_up)s, %(refill_to)s)",
            {
                "sign_up": settings.PLAY_POINTS_SIGN_UP,
                "refill_to": settings.PLAY_POINTS_REFILL_TO,
            },
        )
