"""Nudges for the tournaments' clock and calendar; the rows are the queue."""

from __future__ import annotations

from celery import shared_task


@shared_task(ignore_result=True)
def sweep_tournaments() -> None:
    """Beat sends this every second; a late one expires unread."""
    from django.utils import timezone

    from tournaments.services import clock

    clock.sweep(now=timezone.now())


@shared_task(ignore_result=True)
def open_scheduled() -> None:
    """Open what the templates announce by now."""
    from django.utils import timezone

    from tournaments.services import opening

    opening.keep_scheduled(timezone.now())


@shared_task(ignore_result=True)
def tell_of_starts() -> None:
    """Remind the entrants of what starts within minutes."""
    from django.utils import timezone

    from tournaments.services import telling

    telling.tell_of_starts(timezone.now())
