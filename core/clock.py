"""The installation's clock: the database's time, which `ledger_now()` returns to every process.

Whatever decides something, a deadline, an expiry, a term, is set from this time and compared with
it; the clock of a process serves logs and pages alone. The function reads `clock_timestamp()` plus
the shift of a demo. PostgreSQL's own `now()` is the start of the transaction: after waiting for a
lock it may lie before a deadline that has passed meanwhile. So a service locks first and reads the
time afterwards.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import models
from django.utils import timezone

from core.db.statements import Statement

# A query of its own: it is run once for a statement, not for each row.
NOW_SQL: Final = "(SELECT ledger_now())"
# A process whose clock differs by more is not ready.
SKEW_MAX: Final = timedelta(seconds=1)

_NOW: Final = Statement("SELECT ledger_now()")
_SERVER_TIME: Final = Statement("SELECT clock_timestamp()")


class DatabaseNow(models.Func):
    """The database's time within a query, as in `filter(ends_at__gt=DatabaseNow())`."""

    template = NOW_SQL
    output_field: Any = models.DateTimeField()


class CreatedAtField(models.DateTimeField[datetime, datetime]):
    """The database's time at which a row was inserted; the insert returns it.

    It replaces `auto_now_add`, which takes the process's clock; to migrations it is the same.
    """

    db_returning = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"auto_now_add": True})

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        return DatabaseNow() if add else getattr(model_instance, self.attname)

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, options


# What a query compares with: a time that was read before, or the database's own as it runs.
Moment = datetime | DatabaseNow


def database_now() -> datetime:
    """Return the database's time, in one statement.

    Within a transaction that locks rows, call it once they are locked.
    """
    now: datetime = _NOW.rows()[0][0]
    return now


def clock_skew() -> timedelta:
    """Return by how much this process's clock is ahead of the database server's, or behind (< 0).

    The server's time was read somewhere within the round trip, so half of its length may be due to
    the trip: that much is subtracted, and a slow answer is not reported as a skew.
    """
    began, asked_at = time.monotonic(), timezone.now()
    server_time: datetime = _SERVER_TIME.rows()[0][0]
    trip = timedelta(seconds=time.monotonic() - began)
    skew = asked_at + trip / 2 - server_time
    certain = max(abs(skew) - trip / 2, timedelta())
    return certain if skew > timedelta() else -certain
