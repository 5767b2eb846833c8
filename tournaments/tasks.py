"""Tasks for the tournaments' clock and calendar; their rows say what is due."""

from __future__ import annotations

from celery import shared_task


@shared_task(name="tournaments.sweep_tournaments", ignore_result=True)
def sweep_tournaments() -> None:
    """Beat sends this every second; a late one expires unread."""
    from django.utils import timezone

    from tournaments.rounds import clock

    clock.sweep(now=timezone.now())


@shared_task(name="tournaments.open_scheduled", ignore_result=True)
def open_scheduled() -> None:
    """Open what the templates announce by now."""
    from django.utils import timezone

    from tournaments.planning import opening

    opening.keep_scheduled(timezone.now())


@shared_task(name="tournaments.notify_of_starts", ignore_result=True)
def notify_of_starts() -> None:
    """Remind the entrants of what starts within minutes."""
    from django.utils import timezone

    from tournaments.entries import notifications

    notifications.notify_of_starts(timezone.now())


@shared_task(name="tournaments.withdraw_stopped", ignore_result=True)
def withdraw_stopped() -> None:
    """Free the places of players on a break, held back, or where play is closed by now."""
    from django.utils import timezone

    from tournaments.lobby import registration

    registration.withdraw_stopped(now=timezone.now())
