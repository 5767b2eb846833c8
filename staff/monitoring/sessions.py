"""Check the settings of database sessions, for the metrics."""

from __future__ import annotations

from django.conf import settings
from django.db import connection

# Default search path; a login with another one has it as `reset_val`.
PLAIN_PATH = '"$user", public'


def strange_settings() -> list[str]:
    """Return the settings of this session and its login that differ from the configuration.

    A limit is reported if the session has another value, or if a login that should have its own
    limits has none; a search path if it has another value.
    """
    session = connection.settings_dict["OPTIONS"].get("session", {})
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT name, current_setting(name), reset_val
            FROM pg_settings WHERE name = ANY(%s) ORDER BY name
            """,
            [list(settings.DATABASE_SESSION)],
        )
        found = cursor.fetchall()
    has_own_limits = "role" not in session
    return [
        name
        for name, now, of_login in found
        if session.get(name, now) != now
        or (name == "search_path" and of_login not in {PLAIN_PATH, "public"})
        or (name != "search_path" and has_own_limits and of_login == "0")
    ]
