"""What the ledger has done for itself while nobody waits."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)
def seal_ledger() -> None:
    """Beat sends this every few seconds; a late one expires unread."""
    from wallet.services import seals

    seals.seal_ledger()


@shared_task(ignore_result=True)
def end_stuck_sessions() -> None:
    """Beat sends this every few seconds; staff get a task about each session that was ended."""
    from wallet.services import stuck_sessions

    stuck_sessions.end_stuck_sessions()


@shared_task(ignore_result=True)
def report_late_seals() -> None:
    """Beat sends this every few minutes; staff get a task when sealing stands still."""
    from wallet.services import seals

    seals.report_late_seals()


@shared_task(ignore_result=True)
def send_seal_heads() -> None:
    """Beat sends this every hour; nothing is sent unless a setting says where to."""
    from wallet.services import seal_heads

    seal_heads.send_heads()


@shared_task(ignore_result=True)
def check_books() -> None:
    """Beat sends this every night; a difference freezes withdrawals."""
    from wallet.services import withdrawals

    withdrawals.check_books()


@shared_task(ignore_result=True)
def report_overdue() -> None:
    """Beat sends this every few minutes: staff learn which withdrawals are late."""
    from wallet.services import overdue

    overdue.report_overdue()


@shared_task(ignore_result=True)
def close_unpaid_orders() -> None:
    """Beat sends this every few minutes; what can no longer be paid is said to be so."""
    from wallet.services import unpaid_orders

    unpaid_orders.close_unpaid()


@shared_task(ignore_result=True)
def forget_old_requests() -> None:
    """Beat sends this every night; keys of money requests are kept for a time that is a setting."""
    from wallet.services import idempotency

    idempotency.forget_old_requests()


@shared_task(ignore_result=True)
def expire_bonuses() -> None:
    """Beat sends this every minute; meanwhile a lot past its end cannot be spent anyway."""
    from wallet.services import bonus_expiry

    bonus_expiry.expire_due_bonuses()


@shared_task(ignore_result=True)
def settle_tax_year() -> None:
    """Beat sends this every night; it finds nobody once the last financial year is settled."""
    from wallet.services import withholding

    withholding.settle_last_year()
