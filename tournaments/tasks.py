"""Nudges for the tournaments' clock; the rows are the queue."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)
def sweep_tournaments() -> None:
    """Beat sends this every second; a late one expires unread."""
    from django.utils import timezone

    from tournaments.services import clock

    clock.sweep(now=timezone.now())
