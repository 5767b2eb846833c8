"""Notifications to players about the status of their withdrawals."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from wallet.ledger.money import as_text
from wallet.withdrawals.models import Withdrawal

Status = Withdrawal.Status
KINDS: Final = {
    Status.APPROVED: Notification.Kind.WITHDRAWAL_APPROVED,
    Status.REJECTED: Notification.Kind.WITHDRAWAL_REJECTED,
    Status.PAID: Notification.Kind.WITHDRAWAL_PAID,
    Status.FAILED: Notification.Kind.WITHDRAWAL_FAILED,
}


def notify_player(withdrawal: Withdrawal, *, now: datetime) -> None:
    """Notify the player of the new status; the linked page shows the bank's reference."""
    status = Status(withdrawal.status)
    has_reason = status in (Status.REJECTED, Status.FAILED)
    notify(
        [Recipient(withdrawal.player, as_text(withdrawal.amount))],
        kind=KINDS[status],
        key=f"withdrawal:{withdrawal.public_id}:{status}",
        subject=str(withdrawal.public_id),
        remark=withdrawal.remark if has_reason else "",
        now=now,
    )
