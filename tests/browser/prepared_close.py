"""For a running site: put all transfers on the day before, and close it."""

from __future__ import annotations


def main() -> None:
    from finance.closing.actions import close_days
    from finance.reports.frame.models import DailyClose
    from tests.builders.books.full_books import a_day_passes
    from tests.builders.processes.waiting import until

    a_day_passes()
    # A day is not over while one of the site's transactions may still post to it.
    until(lambda: close_days() or DailyClose.objects.exists())
