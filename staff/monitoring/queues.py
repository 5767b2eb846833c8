"""The number of messages waiting in each of the workers' queues."""

from __future__ import annotations

from typing import Final

from core.redis import counters

QUEUES: Final = ("settle", "bots", "clock", "exports", "messages", "intake")


def queue_depths() -> dict[str, int]:
    """Return the number of messages in each queue; raise `redis.RedisError` on failure."""
    with counters.client().pipeline(transaction=False) as asked:
        for queue in QUEUES:
            asked.llen(queue)
        return dict(zip(QUEUES, asked.execute(), strict=True))
