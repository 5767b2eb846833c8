"""Celery's beat: a program without the applications, and a scheduler for several processes.

Of several schedulers the holder of a lease sends the tasks.

The lease is the row "beat" of `core_lease`; the process that renewed it last holds it. It is taken
in a single statement, so it also works behind a pooler, where a session's advisory lock would stay
with the pooler's connection. A process that hangs or is disconnected loses it when it expires.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Final

import structlog
from celery.apps import beat
from celery.beat import PersistentScheduler
from celery.schedules import crontab
from django.apps import apps
from django.conf import settings
from django.db import Error, connection
from django.utils.log import configure_logging

from config.logs.reports import start_reports

LEASE_SECONDS: Final = 4
ASKED_EVERY_SECONDS: Final = 1.0
# Return the time of renewal to the holder, and no row to other processes. `held_before` is the time
# of the renewal before.
TAKE = """
    WITH before AS (SELECT renewed_at FROM core_lease WHERE name = 'beat')
    INSERT INTO core_lease AS lease (name, renewed_at) VALUES ('beat', clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET renewed_at = EXCLUDED.renewed_at
        WHERE lease.renewed_at = %s
            OR lease.renewed_at < EXCLUDED.renewed_at - make_interval(secs => %s)
    RETURNING renewed_at, (SELECT renewed_at FROM before) AS held_before
"""
GIVE_BACK = """
    UPDATE core_lease SET renewed_at = renewed_at - make_interval(secs => %s)
    WHERE name = 'beat' AND renewed_at = %s
"""

log = structlog.get_logger(__name__)


class BeatLease:
    """The right to send tasks, which lasts some seconds after each renewal."""

    def __init__(self) -> None:
        self.mine: datetime | None = None

    def take(self) -> tuple[bool, datetime | None]:
        """Take or renew the lease; return whether it is held, and when it was renewed before."""
        with connection.cursor() as cursor:
            cursor.execute(TAKE, [self.mine, LEASE_SECONDS])
            row = cursor.fetchone()
        if row is None:
            self.mine = None
            return False, None
        self.mine, held_before = row
        return True, held_before

    def give_back(self) -> None:
        """Release the lease at once."""
        with connection.cursor() as cursor:
            cursor.execute(GIVE_BACK, [LEASE_SECONDS, self.mine])
        self.mine = None


class Beat(beat.Beat):
    """The program of `celery beat`, which sends tasks by name and imports none of them."""

    def init_loader(self) -> None:
        """Set up logs and reports as `django.setup` does, without loading the applications."""
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        apps.populate(())  # The lease is read from the database without a model.
        start_reports()
        self.app.finalize()  # type: ignore[union-attr]  # Set in `__init__`.


class LeasedScheduler(PersistentScheduler):
    """Sends due tasks while this process holds the lease, and waits otherwise."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.lease = BeatLease()
        self.asked_at = float("-inf")
        super().__init__(*args, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send due tasks; return the seconds until the next call."""
        had_it = self.lease.mine is not None
        if had_it and time.monotonic() < self.asked_at + ASKED_EVERY_SECONDS:
            return self._send_due(*args, **options)
        self.asked_at = time.monotonic()
        try:
            has_it, held_before = self.lease.take()
        except (
            Error
        ) as error:  # Without a renewal nothing may be sent: another process may hold the lease.
            log.warning("beat_without_database", error=str(error))
            self.lease.mine = None
            connection.close()
            return ASKED_EVERY_SECONDS
        if not has_it:
            if (
                self.should_sync()
            ):  # The schedule file's time shows health checks that this process runs.
                self._do_sync()  # type: ignore[attr-defined]  # Not in its stubs.
            return ASKED_EVERY_SECONDS
        if not had_it:
            log.warning("beat_took_over")
            self._go_on_from(held_before)
        return self._send_due(*args, **options)

    def _send_due(self, *args: Any, **options: Any) -> float:
        wait: float = super().tick(*args, **options)
        return min(wait, ASKED_EVERY_SECONDS / 2)

    def close(self) -> None:
        super().close()
        if self.lease.mine is not None:
            try:
                self.lease.give_back()
            except Error as error:
                log.warning("beat_without_database", error=str(error))

    def _go_on_from(self, held_before: datetime | None) -> None:
        """Skip daily tasks that another holder of the lease has sent."""
        for entry in self.schedule.values():
            sent_at = entry.last_run_at
            if held_before and sent_at and isinstance(entry.schedule, crontab):
                entry.last_run_at = max(sent_at, held_before)
        self._heap = None
