"""Which players have a table open: one Redis entry per socket, which expires unless renewed.

It decides whether to notify a player's devices, and counts spectators. Without Redis no one is away
and nobody watches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

import redis
import structlog

from core.redis.counters import client

log = structlog.get_logger(__name__)

# Renewed every `attendance.RENEWED_SECONDS`; entries of a killed process expire by themselves.
FADES_SECONDS: Final = 90

# A table's key and a player's, or `NO_SEAT` for a connection without a seat.
Place = tuple[int, int]
NO_SEAT: Final = 0


def note(came: Mapping[str, Place], left: Mapping[str, Place], *, now: datetime) -> None:
    """Record sockets that have opened a player's table and sockets that have closed it."""
    if not (came or left):
        return
    try:
        with client().pipeline(transaction=False) as pipeline:
            for socket, place in came.items():
                pipeline.zadd(_key(place), {socket: now.timestamp() + FADES_SECONDS})
                pipeline.expire(_key(place), FADES_SECONDS)
            for socket, place in left.items():
                pipeline.zrem(_key(place), socket)
            pipeline.execute()
    except redis.RedisError as error:
        log.warning("watchers_not_noted", error=str(error))


def away(places: Collection[Place], *, now: datetime) -> set[Place]:
    """Return the places whose player has no socket open at that table."""
    asked = list(places)
    try:
        with client().pipeline(transaction=False) as pipeline:
            for place in asked:
                pipeline.zcount(_key(place), now.timestamp(), "+inf")
            open_sockets = pipeline.execute()
    except redis.RedisError as error:
        log.warning("watchers_unknown", error=str(error))
        return set()
    return {place for place, count in zip(asked, open_sockets, strict=True) if not count}


def watchers(tables: Collection[int], *, now: datetime) -> dict[int, int]:
    """Return the number of open connections without a seat, by the table's key."""
    try:
        with client().pipeline(transaction=False) as pipeline:
            for table_id in tables:
                pipeline.zcount(_key((table_id, NO_SEAT)), now.timestamp(), "+inf")
            return dict(zip(tables, pipeline.execute(), strict=True))
    except redis.RedisError as error:
        log.warning("watchers_unknown", error=str(error))
        return {}


def _key(place: Place) -> str:
    table_id, player_id = place
    return f"watching:{table_id}:{player_id}"
