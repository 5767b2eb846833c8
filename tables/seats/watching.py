"""The players who have a table open: each socket's mark in Redis fades unless it is renewed.

It decides only whether a player is called on their devices. Without Redis nobody counts as away.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

import redis
import structlog

from core.redis.counters import client

log = structlog.get_logger(__name__)

# Renewed every `attendance.RENEWED_SECONDS`; a process that was killed takes none of its marks off.
FADES_SECONDS: Final = 90

# A table's key and a player's.
Place = tuple[int, int]


def note(came: Mapping[str, Place], left: Mapping[str, Place], *, now: datetime) -> None:
    """Note which sockets have a player's table open, and which have it no more."""
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
    """Return those of the places whose player has no socket open at that table."""
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


def _key(place: Place) -> str:
    table_id, player_id = place
    return f"watching:{table_id}:{player_id}"
