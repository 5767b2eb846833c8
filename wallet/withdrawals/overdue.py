"""Withdrawals that wait longer than their players were promised (RB 11.2): staff are told, once."""

from __future__ import annotations

import structlog
from django.db import transaction
from django.utils import timezone

from players.accounts.models import User
from wallet.payments.models import StaffTask
from wallet.payments.withdrawal_models import Withdrawal

log = structlog.get_logger(__name__)
KIND_OF_STATUS = {
    Withdrawal.Status.REQUESTED: StaffTask.Kind.LATE_DECISION,
    Withdrawal.Status.APPROVED: StaffTask.Kind.LATE_PAYMENT,
}


@transaction.atomic
def report_overdue() -> list[StaffTask]:
    """Write a task for each state that has outlasted its promise; return the new ones."""
    told = []
    # Locked, and so read as they are now: no task is written for what has just been decided.
    for withdrawal in Withdrawal.objects.locked().overdue(timezone.now()):
        assert withdrawal.due_at is not None, "pending ones have a due time"
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
            told.append(task)
    return told


def close_late_task(*, withdrawal: Withdrawal, by: User) -> None:
    """Close what says that the state now left is late, in the name of who moved it on.

    The caller holds the withdrawal's lock.
    """
    tasks = StaffTask.objects.undone().filter(
        transfer_id=withdrawal.hold_id, kind__in=KIND_OF_STATUS.values()
    )
    tasks.update(done_at=timezone.now(), done_by=by)
