"""Limit concurrent password hashing, and hash without holding a database connection.

One hash takes a large part of a second of CPU time. Without the limit, a few concurrent sign-ins
could use up the connection pool or all threads. The limit is in the hasher, so that it applies to
sign-ins, sign-ups, password changes and libraries.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final

import structlog
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connections
from django.utils.translation import gettext as _

from core.exceptions import Busy

# Less than PostgreSQL's idle-in-transaction timeout, in case of hashing in a transaction.
PATIENCE_SECONDS: Final = 8.0

log = structlog.get_logger(__name__)


class Gate:
    """Semaphore for `PASSWORDS_AT_ONCE` hashes; `PASSWORDS_WAITING` may wait, others are refused.

    The limits are for each process.
    """

    def __init__(self) -> None:
        self.changed = Condition()
        self.inside = self.waiting = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Wait for a slot, and hold it; raise `Busy` if the queue is full or on timeout."""
        with self.changed:
            if not self._has_place() and not self._waits_for_place():
                log.warning("passwords_busy", inside=self.inside, waiting=self.waiting)
                raise Busy(
                    _("Too many people are signing in right now. Try again in a few seconds.")
                )
            self.inside += 1
        try:
            yield
        finally:
            with self.changed:
                self.inside -= 1
                self.changed.notify()

    def _has_place(self) -> bool:
        return self.inside < settings.PASSWORDS_AT_ONCE

    def _waits_for_place(self) -> bool:
        if self.waiting >= settings.PASSWORDS_WAITING:
            return False
        self.waiting += 1
        try:
            return self.changed.wait_for(self._has_place, timeout=PATIENCE_SECONDS)
        finally:
            self.waiting -= 1


gate: Final = Gate()


class BoundedHashing:
    """Mixin that makes a Django hasher release pooled connections and wait for a slot."""

    def encode(self, *args: object, **kwargs: object) -> str:
        release_connections()
        with gate.entered():
            encoded: str = super().encode(*args, **kwargs)  # type: ignore[misc]
        return encoded


class PasswordHasher(BoundedHashing, PBKDF2PasswordHasher):
    """Django's default hasher with the limit; its hashes are those of `PBKDF2PasswordHasher`."""


def release_connections() -> None:
    """Return this thread's connections to their pools; the next query takes one again.

    A connection in a transaction is kept.
    """
    for wrapper in connections.all(initialized_only=True):
        is_pooled = bool(wrapper.settings_dict["OPTIONS"].get("pool"))
        if is_pooled and not wrapper.in_atomic_block:
            wrapper.close()
