"""Tasks for the tournaments' clock and calendar; their rows say what is due."""

from __future__ import annotations

from celery import shared_task

from core.clock import database_now


@shared_task(name="tournaments.sweep_tournaments", ignore_result=True)
def sweep_tournaments() -> None:
    """Beat sends this every second; a late one expires unread."""
    from tournaments.rounds import clock

    clock.sweep(now=database_now())


@shared_task(name="tournaments.open_scheduled", ignore_result=True)
def open_scheduled() -> None:
    """Open what the templates announce by now."""
    from tournaments.planning import opening

    opening.keep_scheduled(database_now())


@shared_task(name="tournaments.notify_of_starts", ignore_result=True)
def notify_of_starts() -> None:
    """Remind the entrants of what starts within minutes."""
    from tournaments.entries import notifications

    notifications.notify_of_starts(database_now())


@shared_task(name="tournaments.withdraw_stopped", ignore_result=True)
def withdraw_stopped() -> None:
    """Free the places of players on a break, held back, or where play is closed by now."""
    from tournaments.lobby import registration

    registration.withdraw_stopped(now=database_now())
