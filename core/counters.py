"""Counts any process adds to and /metrics reads: kept in Redis, where they may be lost.

Nothing depends on them, so Redis being away is no error for whoever counts.
"""

from __future__ import annotations

from functools import cache

import redis
import structlog
from django.conf import settings

KEY = "tallies"
# Upper ends of what is measured in seconds.
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0)

log = structlog.get_logger(__name__)


@cache
def client() -> redis.Redis:
    """Return this process's connections; nobody waits for long on them."""
    return redis.Redis.from_url(
        settings.REDIS_URL, decode_responses=True, socket_timeout=1, socket_connect_timeout=1
    )


def count(name: str) -> None:
    """Add one to a count."""
    try:
        client().hincrby(KEY, name, 1)
    except redis.RedisError as error:
        log.warning("tally_lost", tally=name, error=str(error))


def measure(name: str, seconds: float) -> None:
    """Add one to the bucket these seconds fall into, and to their sum."""
    bucket = next((str(end) for end in BUCKETS if seconds <= end), "+Inf")
    try:
        with client().pipeline(transaction=False) as pipeline:
            pipeline.hincrby(KEY, f"{name}:{bucket}", 1)
            pipeline.hincrbyfloat(KEY, f"{name}:sum", seconds)
            pipeline.execute()
    except redis.RedisError as error:
        log.warning("tally_lost", tally=name, error=str(error))


def counted() -> dict[str, float]:
    """Return all counts by name."""
    return {str(name): float(told) for name, told in client().hgetall(KEY).items()}
