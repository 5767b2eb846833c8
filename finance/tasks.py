"""What finance does for itself while nobody waits."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)
def close_days() -> None:
    """Beat sends this after midnight in India; days missed are caught up with."""
    from finance.services import closing

    closing.close_days()
