"""Counters in Redis that all processes increment and `/metrics` reports.

They may be lost; an unreachable Redis is only logged.
"""

from __future__ import annotations

from functools import cache

import redis
import structlog
from django.conf import settings

from core.redis import servers

KEY = "counters"
# Upper bounds of the histogram's buckets, in seconds.
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 15.0, 60.0)

log = structlog.get_logger(__name__)


def client() -> redis.Redis:
    """Return this process's client, with short timeouts."""
    return _client(settings.REDIS_URL)


@cache
def _client(url: str) -> redis.Redis:
    return servers.client(url, decode_responses=True, socket_timeout=1, socket_connect_timeout=1)


def count(name: str) -> None:
    """Increment a counter."""
    try:
        client().hincrby(KEY, name, 1)
    except redis.RedisError as error:
        log.warning("counter_lost", counter=name, error=str(error))


def measure(name: str, seconds: float) -> None:
    """Add an observation to a histogram."""
    bucket = next((str(end) for end in BUCKETS if seconds <= end), "+Inf")
    try:
        with client().pipeline(transaction=False) as pipeline:
            pipeline.hincrby(KEY, f"{name}:{bucket}", 1)
            pipeline.hincrbyfloat(KEY, f"{name}:sum", seconds)
            pipeline.execute()
    except redis.RedisError as error:
        log.warning("counter_lost", counter=name, error=str(error))


def counted() -> dict[str, float]:
    """Return all counters by name."""
    return {str(name): float(value) for name, value in client().hgetall(KEY).items()}
