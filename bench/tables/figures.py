"""What PostgreSQL and Redis have counted so far: log written, rows read, messages, connections."""

from __future__ import annotations

import time

from django.conf import settings
from django.db import connection

from core.redis import servers

READ = (
    "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables WHERE relname ~ '^tables_'"
)


def figures() -> dict[str, float]:
    """Return the counters whose difference a piece of work has caused."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(f"SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, ({READ})")
        wal, read = cursor.fetchone()
    time.sleep(0.2)  # Until the thread that broadcasts has sent what waits.
    sent = servers.client(settings.REDIS_URL).info("commandstats")
    published = sent.get("cmdstat_publish", {}).get("calls", 0)
    return {"bytes of WAL": float(wal), "rows read": float(read), "messages": float(published)}


def connections() -> int:
    """Return how many connections PostgreSQL holds for clients."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        )
        [held] = cursor.fetchone()
    return int(held)
