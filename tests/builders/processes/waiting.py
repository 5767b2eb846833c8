"""Waiting for what another process or session does."""

from __future__ import annotations

import time

from django.db import connection

PATIENCE_SECONDS = 90.0


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def something_waits():
    """Return whether a database session waits for a lock."""
    return sessions_that_wait() > 0


def sessions_that_wait():
    """Return how many database sessions wait for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0]
