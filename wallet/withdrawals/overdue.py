"""A task for staff for each state of a withdrawal past its deadline (RB 11.2)."""

from __future__ import annotations

import structlog
from django.db import transaction

from core.clock import DatabaseNow, database_now
from players.accounts.models import User
from players.sign_in.security.changes import held_until
from wallet.deposits.models import StaffTask
from wallet.withdrawals.models import Withdrawal

log = structlog.get_logger(__name__)
KIND_OF_STATUS = {
    Withdrawal.Status.REQUESTED: StaffTask.Kind.LATE_DECISION,
    Withdrawal.Status.APPROVED: StaffTask.Kind.LATE_PAYMENT,
}


@transaction.atomic
def report_overdue() -> list[StaffTask]:
    """Create a task for each state past its deadline; return the new ones."""
    created = []
    # Locked, so that a withdrawal decided at this moment gets no task.
    for withdrawal in Withdrawal.objects.locked().overdue(database_now()):
        assert withdrawal.due_at is not None, "a pending withdrawal has a deadline"
        if held_until(withdrawal.player, database_now()):
            continue  # It cannot be decided yet.
        task, is_new = StaffTask.objects.get_or_create(
            transfer_id=withdrawal.hold_id,
            kind=KIND_OF_STATUS[Withdrawal.Status(withdrawal.status)],
            defaults={
                "details": f"{withdrawal} was promised for {withdrawal.due_at:%Y-%m-%d %H:%M} UTC"
            },
        )
        if is_new:
            log.warning(
                "withdrawal_overdue",
                withdrawal=withdrawal.pk,
                status=withdrawal.status,
                due_at=withdrawal.due_at.isoformat(),
            )
            created.append(task)
    return created


def close_late_task(*, withdrawal: Withdrawal, by: User) -> None:
    """Close the task about the state that is now left, as done by the person who decided.

    The caller holds the withdrawal's lock.
    """
    tasks = StaffTask.objects.undone().filter(
        transfer_id=withdrawal.hold_id, kind__in=KIND_OF_STATUS.values()
    )
    tasks.update(done_at=DatabaseNow(), done_by=by)
