"""What the ledger has done for itself while nobody waits."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)
def seal_ledger() -> None:
    """Beat sends this every few seconds; a late one expires unread."""
    from wallet.services import seals

    seals.seal_ledger()


@shared_task(ignore_result=True)
def check_books() -> None:
    """Beat sends this every night; a difference freezes withdrawals."""
    from wallet.services import withdrawals

    withdrawals.check_books()
