"""The installation's clock: the database's time, returned by the SQL function `ledger_now()`.

Deadlines, expiries and terms are set from this time and compared with it; the clock of a process is
only for logs and pages. The function returns `clock_timestamp()` plus the clock shift of a demo.
PostgreSQL's `now()` is the start of the transaction: after waiting for a lock it may be earlier
than a deadline that has passed meanwhile. So a service locks first and reads the time afterwards.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import models
from django.utils import timezone

from core.db.statements import Statement

# A subquery runs once per statement, not once per row.
NOW_SQL: Final = "(SELECT ledger_now())"
# `/readyz` fails for a process whose clock differs by more seconds.
SKEW_MAX: Final = timedelta(seconds=1)

_NOW: Final = Statement("SELECT ledger_now()")
_SERVER_TIME: Final = Statement("SELECT clock_timestamp()")


class DatabaseNow(models.Func):
    """The database's time within a query, as in `filter(ends_at__gt=DatabaseNow())`."""

    template = NOW_SQL
    output_field: Any = models.DateTimeField()


class CreatedAtField(models.DateTimeField[datetime, datetime]):
    """The database's time of the insert, which the insert returns.

    Used instead of `auto_now_add`, which reads the process's clock; equal in migrations.
    """

    db_returning = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"auto_now_add": True})

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        return DatabaseNow() if add else getattr(model_instance, self.attname)

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, options


# A time that was read before, or the database's time while the query runs.
Moment = datetime | DatabaseNow


def database_now() -> datetime:
    """Return the database's time, in one statement.

    Within a transaction that locks rows, call it after locking.
    """
    now: datetime = _NOW.rows()[0][0]
    return now


def clock_skew() -> timedelta:
    """Return by how much this process's clock is ahead of (> 0) or behind (< 0) the database's.

    The server reads its time at an unknown moment of the round trip, so half of the trip's length
    is subtracted: a slow answer is not reported as a skew.
    """
    began, asked_at = time.monotonic(), timezone.now()
    server_time: datetime = _SERVER_TIME.rows()[0][0]
    trip = timedelta(seconds=time.monotonic() - began)
    skew = asked_at + trip / 2 - server_time
    certain = max(abs(skew) - trip / 2, timedelta())
    return certain if skew > timedelta() else -certain
