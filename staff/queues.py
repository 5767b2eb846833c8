"""How many messages wait for the workers; every one is a nudge, the rows are the queue."""

from __future__ import annotations

from typing import Final

import redis
from django.conf import settings

QUEUES: Final = ("clock", "settle", "bots", "exports")


def queue_depths() -> dict[str, int] | None:
    """Return how many messages wait in each queue; None while the broker cannot be asked."""
    broker = redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=1)
    try:
        with broker, broker.pipeline(transaction=False) as asked:
            for queue in QUEUES:
                asked.llen(queue)
            return dict(zip(QUEUES, asked.execute(), strict=True))
    except redis.RedisError:
        return None
