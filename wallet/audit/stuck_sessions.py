"""Terminate database sessions that block others, with a staff task about each."""

from __future__ import annotations

import structlog
from django.db import connection, transaction

from wallet.deposits.models import StaffTask

log = structlog.get_logger(__name__)


def end_stuck_sessions() -> list[StaffTask]:
    """Terminate blocking sessions of the application's logins; return a task for each.

    The conditions are in the database function (`wallet/audit/sql/stuck_sessions.sql`).
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM wallet_end_stuck_sessions()")
        return [_report(*ended) for ended in cursor.fetchall()]


@transaction.atomic
def _report(pid: int, login: str, seconds: int, waiting: int) -> StaffTask:
    log.error("session_ended", pid=pid, login=login, seconds=seconds, waiting=waiting)
    return StaffTask.objects.create(
        kind=StaffTask.Kind.SESSION_ENDED,
        details=f"Process {pid} of {login}, {seconds} s in a transaction; {waiting} waited for it",
    )
