"""Passwords are hashed without a database connection, and only a few at once.

One hash takes a large part of a second of a processor. With a pooled connection held meanwhile,
some sign-ins at once left no connection for anybody else; with a thread each they would leave no
thread. Every hash goes through the hasher, so that the rule holds for sign-ins, sign-ups, changes
of passwords and whatever library asks for one.
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

# Less than PostgreSQL lets a transaction be idle, should somebody hash within one.
PATIENCE_SECONDS: Final = 8.0

log = structlog.get_logger(__name__)


class Gate:
    """Lets `PASSWORDS_AT_ONCE` in at a time and `PASSWORDS_WAITING` wait; refuses others at once.

    The numbers are this process's own: so is the processor time that it keeps for other requests.
    """

    def __init__(self) -> None:
        self.changed = Condition()
        self.inside = self.waiting = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Wait for a place, and hold it; raise `Busy` where too many wait, or for too long."""
        with self.changed:
            if not self._has_place() and not self._waits_for_place():
                log.warning("passwords_busy", inside=self.inside, waiting=self.waiting)
                raise Busy(_("Many people are signing in just now. Try again in a few seconds."))
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
    """Makes a hasher of Django's wait for its place, with no pooled connection in its hands."""

    def encode(self, *args: object, **kwargs: object) -> str:
        release_connections()
        with gate.entered():
            encoded: str = super().encode(*args, **kwargs)  # type: ignore[misc]
        return encoded


class PasswordHasher(BoundedHashing, PBKDF2PasswordHasher):
    """Django's own default, bounded; its hashes are those of `PBKDF2PasswordHasher`."""


def release_connections() -> None:
    """Give this thread's connections back to their pools; the next query takes one again.

    Within a transaction they stay: hashing there holds one.
    """
    for wrapper in connections.all(initialized_only=True):
        is_pooled = bool(wrapper.settings_dict["OPTIONS"].get("pool"))
        if is_pooled and not wrapper.in_atomic_block:
            wrapper.close()
