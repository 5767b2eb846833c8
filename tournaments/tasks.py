"""Celery tasks of tournaments: clock, calendar, seasons, reminders and withdrawals."""

from __future__ import annotations

from celery import shared_task

from core.clock import database_now


@shared_task(name="tournaments.sweep_tournaments", ignore_result=True)
def sweep_tournaments() -> None:
    """Apply all due changes of tournaments. Beat sends this every second; late ones expire."""
    from tournaments.rounds import clock

    clock.sweep(now=database_now())


@shared_task(name="tournaments.open_scheduled", ignore_result=True)
def open_scheduled() -> None:
    """Open the tournaments that templates announce by now."""
    from tournaments.planning import opening

    opening.keep_scheduled(database_now())


@shared_task(name="tournaments.notify_of_starts", ignore_result=True)
def notify_of_starts() -> None:
    """Remind the entrants of tournaments that start within 10 minutes."""
    from tournaments.entries import notifications

    notifications.notify_of_starts(database_now())


@shared_task(name="tournaments.sweep_seasons", ignore_result=True)
def sweep_seasons() -> None:
    """Open, count and close the seasons that are due."""
    from tournaments.leagues import seasons

    seasons.sweep()


@shared_task(name="tournaments.withdraw_stopped", ignore_result=True)
def withdraw_stopped() -> None:
    """Withdraw players who are on a break, on hold, or in a place where play is closed."""
    from tournaments.lobby import registration

    registration.withdraw_stopped(now=database_now())
