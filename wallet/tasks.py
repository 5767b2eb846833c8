"""Periodic and background tasks of the wallet."""

from __future__ import annotations

from celery import shared_task


@shared_task(name="wallet.seal_ledger", ignore_result=True)
def seal_ledger() -> None:
    """Run every few seconds; a late message expires."""
    from wallet.audit import seals

    seals.seal_ledger()


@shared_task(name="wallet.apply_gateway_event", ignore_result=True)
def apply_gateway_event(event_id: int) -> None:
    """Apply a gateway event; enqueued with each stored event."""
    from wallet.deposits import deposits

    deposits.apply_event(event_id=event_id)


@shared_task(name="wallet.apply_gateway_events", ignore_result=True)
def apply_gateway_events() -> None:
    """Apply pending events; run every few seconds in case messages were lost."""
    from wallet.deposits import deposits

    deposits.apply_received()


@shared_task(name="wallet.deliver_sandbox_events", ignore_result=True)
def deliver_sandbox_events(bodies: list[str]) -> None:
    """Deliver the sandbox gateway's events; enqueued by its page."""
    from wallet.gateways import sandbox_page

    sandbox_page.deliver(body.encode() for body in bodies)


@shared_task(name="wallet.end_stuck_sessions", ignore_result=True)
def end_stuck_sessions() -> None:
    """Run every few seconds; staff get a task about each terminated session."""
    from wallet.audit import stuck_sessions

    stuck_sessions.end_stuck_sessions()


@shared_task(name="wallet.report_owed", ignore_result=True)
def report_owed() -> None:
    """Run hourly; the first run of a day creates its report."""
    from wallet.wind_down import report

    report.report_owed()


@shared_task(name="wallet.report_late_seals", ignore_result=True)
def report_late_seals() -> None:
    """Run every few minutes; staff get a task when sealing has stopped."""
    from wallet.audit import seals

    seals.report_late_seals()


@shared_task(name="wallet.send_seal_heads", ignore_result=True)
def send_seal_heads() -> None:
    """Run hourly; sends nothing unless a destination is configured."""
    from wallet.audit import seals

    seals.send_heads()


@shared_task(name="wallet.check_books", ignore_result=True)
def check_books() -> None:
    """Run nightly; a difference freezes withdrawals."""
    from wallet.audit import freezes

    freezes.check_books()


@shared_task(name="wallet.check_new_rows", ignore_result=True)
def check_new_rows() -> None:
    """Run several times an hour; a difference freezes withdrawals."""
    from wallet.audit import freezes

    freezes.check_new_rows()


@shared_task(name="wallet.report_overdue", ignore_result=True)
def report_overdue() -> None:
    """Run every few minutes; staff get a task about each late withdrawal."""
    from wallet.withdrawals import overdue

    overdue.report_overdue()


@shared_task(name="wallet.close_unpaid_orders", ignore_result=True)
def close_unpaid_orders() -> None:
    """Run every few minutes; expired orders are closed."""
    from wallet.deposits import unpaid_orders

    unpaid_orders.close_unpaid()


@shared_task(name="wallet.forget_old_requests", ignore_result=True)
def forget_old_requests() -> None:
    """Run nightly; the retention of keys is a setting."""
    from wallet.cashier import requests

    requests.forget_old_requests()


@shared_task(name="wallet.expire_bonuses", ignore_result=True)
def expire_bonuses() -> None:
    """Run every minute; until then an ended lot cannot be spent either."""
    from wallet.bonuses import expiry as bonus_expiry

    bonus_expiry.expire_due_bonuses()


@shared_task(name="wallet.settle_tax_year", ignore_result=True)
def settle_tax_year() -> None:
    """Run nightly; does nothing once the last financial year is settled."""
    from wallet.tax import withholding

    withholding.settle_last_year()
