"""Whether the database's sessions are set as they are to be, for the metrics."""

from __future__ import annotations

from django.conf import settings
from django.db import connection

# A login that was set to anything else, by itself too, shows it in what RESET would go back to.
PLAIN_PATH = '"$user", public'


def strange_settings() -> list[str]:
    """Return the settings of this session, and of its login, that are not the house's.

    A limit counts as strange where the session has another, and where the login, which has its own,
    would have none without what the session sets; a search path where it is another.
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
