"""What the ledger has done for itself while nobody waits."""

from __future__ import annotations

from celery import shared_task


@shared_task(name="wallet.seal_ledger", ignore_result=True)
def seal_ledger() -> None:
    """Beat sends this every few seconds; a late one expires unread."""
    from wallet.audit import seals

    seals.seal_ledger()


@shared_task(name="wallet.apply_gateway_event", ignore_result=True)
def apply_gateway_event(event_id: int) -> None:
    """Apply what a gateway reported; enqueued with each event that is kept."""
    from wallet.deposits import deposits

    deposits.apply_event(event_id=event_id)


@shared_task(name="wallet.apply_gateway_events", ignore_result=True)
def apply_gateway_events() -> None:
    """Apply the events that wait; beat sends this every few seconds for lost messages."""
    from wallet.deposits import deposits

    deposits.apply_received()


@shared_task(name="wallet.deliver_sandbox_events", ignore_result=True)
def deliver_sandbox_events(bodies: list[str]) -> None:
    """Deliver the sandbox bank's events; enqueued by its page."""
    from wallet.gateways import sandbox_page

    sandbox_page.deliver(body.encode() for body in bodies)


@shared_task(name="wallet.end_stuck_sessions", ignore_result=True)
def end_stuck_sessions() -> None:
    """Beat sends this every few seconds; staff get a task about each session that was ended."""
    from wallet.audit import stuck_sessions

    stuck_sessions.end_stuck_sessions()


@shared_task(name="wallet.report_owed", ignore_result=True)
def report_owed() -> None:
    """Beat sends this every hour; the first of a day makes its report."""
    from wallet.wind_down import report

    report.report_owed()


@shared_task(name="wallet.report_late_seals", ignore_result=True)
def report_late_seals() -> None:
    """Beat sends this every few minutes; staff get a task when sealing stands still."""
    from wallet.audit import seals

    seals.report_late_seals()


@shared_task(name="wallet.send_seal_heads", ignore_result=True)
def send_seal_heads() -> None:
    """Run hourly by beat; nothing is sent unless a destination is configured."""
    from wallet.audit import seal_heads

    seal_heads.send_heads()


@shared_task(name="wallet.check_books", ignore_result=True)
def check_books() -> None:
    """Beat sends this every night; a difference freezes withdrawals."""
    from wallet.audit import withdrawal_freezes

    withdrawal_freezes.check_books()


@shared_task(name="wallet.check_what_is_new", ignore_result=True)
def check_what_is_new() -> None:
    """Beat sends this several times an hour; a difference freezes withdrawals."""
    from wallet.audit import withdrawal_freezes

    withdrawal_freezes.check_what_is_new()


@shared_task(name="wallet.report_overdue", ignore_result=True)
def report_overdue() -> None:
    """Beat sends this every few minutes: staff learn which withdrawals are late."""
    from wallet.withdrawals import overdue

    overdue.report_overdue()


@shared_task(name="wallet.close_unpaid_orders", ignore_result=True)
def close_unpaid_orders() -> None:
    """Beat sends this every few minutes; what can no longer be paid is said to be so."""
    from wallet.deposits import unpaid_orders

    unpaid_orders.close_unpaid()


@shared_task(name="wallet.forget_old_requests", ignore_result=True)
def forget_old_requests() -> None:
    """Beat sends this every night; keys of money requests are kept for a time that is a setting."""
    from wallet.cashier import idempotency

    idempotency.forget_old_requests()


@shared_task(name="wallet.expire_bonuses", ignore_result=True)
def expire_bonuses() -> None:
    """Beat sends this every minute; meanwhile a lot past its end cannot be spent anyway."""
    from wallet.bonuses import expiry as bonus_expiry

    bonus_expiry.expire_due_bonuses()


@shared_task(name="wallet.settle_tax_year", ignore_result=True)
def settle_tax_year() -> None:
    """Beat sends this every night; it finds nobody once the last financial year is settled."""
    from wallet.tax import withholding

    withholding.settle_last_year()
