"""Counts of pending withdrawals, in one query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from wallet.withdrawals.models import Withdrawal

Status = Withdrawal.Status


@dataclass(frozen=True, slots=True)
class WaitingWithdrawals:
    """Numbers of withdrawals to decide, to send to the bank, and overdue."""

    to_decide: int
    to_pay: int
    overdue: int


def waiting_withdrawals(now: datetime) -> WaitingWithdrawals:
    counts = Withdrawal.objects.pending().aggregate(
        to_decide=Count("pk", filter=Q(status=Status.REQUESTED)),
        to_pay=Count("pk", filter=Q(status=Status.APPROVED)),
        overdue=Count("pk", filter=Q(due_at__lt=now)),
    )
    return WaitingWithdrawals(**counts)
