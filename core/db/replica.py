"""Reads from a streaming replica, if one is configured (`REPLICA_URL`).

Within `reads_from_replica` the ORM and `reading_connection` read from the replica if it has
replayed the write-ahead log up to a position, else from the primary. Everything outside such a
block, and every write, goes to the primary. A replica that does not answer is not used for some
seconds; the primary answers its reads.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

import structlog
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

PRIMARY: Final = DEFAULT_DB_ALIAS
REPLICA: Final = "replica"
# Seconds for which a replica that failed is not used.
LEFT_ALONE_SECONDS: Final = 5.0
ASKED_AGAIN_SECONDS: Final = 0.02
PATIENCE_SECONDS: Final = 1.0
# Exceptions raised when a server is lost.
LOST: Final = (OperationalError, InterfaceError)

Part = TypeVar("Part")

log = structlog.get_logger(__name__)

_alias: ContextVar[str] = ContextVar("reads", default=PRIMARY)
_left_alone_until: float = 0.0


class ReplicaRouter:
    """Route reads to the database of the block they are in, and everything else to the primary."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str:
        return _alias.get()

    def db_for_write(self, model: type[Model], **hints: Any) -> str:
        return PRIMARY

    def allow_relation(self, one: Model, other: Model, **hints: Any) -> bool:
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return db == PRIMARY


def is_configured() -> bool:
    """Return whether the settings name a replica."""
    return REPLICA in connections.settings


def reading_connection() -> BaseDatabaseWrapper:
    """Return the connection for raw SQL within the present block."""
    return connections[_alias.get()]


def present_position() -> str:
    """Return the position up to which the primary's log is on disk, as an LSN ("0/15E3A90").

    All commits are before it, as long as commits wait for the disk (PostgreSQL's
    `synchronous_commit`, on by default).
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_flush_lsn()::text")
        found: str = cursor.fetchone()[0]
        return found


@contextmanager
def reads_from_replica(*, after: str | None = None) -> Iterator[bool]:
    """Let the block read from the replica if it has replayed the log up to `after`, an LSN.

    None means all present commits, which the replica gets a second to replay. If it is behind, the
    block reads from the primary. Yield whether the block reads from the replica.
    """
    does = is_configured() and (
        _has_replayed(present_position(), PATIENCE_SECONDS)
        if after is None
        else _has_replayed(after, 0.0)
    )
    with _reading_from(REPLICA if does else PRIMARY):
        yield does


def kept_reading(parts: Iterator[Part]) -> Iterator[Part]:
    """Iterate over the parts, generating each with the database of the present block."""
    return _each_from(_alias.get(), parts)


def leave_alone(error: Exception) -> None:
    """Stop using the replica for some seconds after a failure."""
    global _left_alone_until  # noqa: PLW0603  # One for the process, as its connections are.
    _left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
    log.warning("replica_lost", error=str(error))


def _each_from(alias: str, parts: Iterator[Part]) -> Iterator[Part]:
    while True:
        with _reading_from(alias):
            try:
                part = next(parts)
            except StopIteration:
                return
        yield part


@contextmanager
def _reading_from(alias: str) -> Iterator[None]:
    token = _alias.set(alias)
    try:
        yield
    finally:
        _alias.reset(token)


def _has_replayed(position: str, patience: float) -> bool:
    """Return whether the replica has replayed the log up to a position; a promoted one has."""
    deadline = time.monotonic() + patience
    if time.monotonic() < _left_alone_until:
        return False
    try:
        with connections[REPLICA].cursor() as cursor:
            while True:
                cursor.execute(
                    "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %s::pg_lsn",
                    [position],
                )
                has: bool = cursor.fetchone()[0]
                if has or time.monotonic() >= deadline:
                    return has
                time.sleep(ASKED_AGAIN_SECONDS)
    except LOST as error:
        leave_alone(error)
        return False
