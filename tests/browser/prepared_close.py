"""For a running site: put all transfers on the day before, and close it."""

from __future__ import annotations

# Another test may have closed the day already, when nothing was booked on it.
NOTHING_CLOSED = """
    DELETE FROM finance_balancetreepart;
    DELETE FROM finance_balancetree;
    DELETE FROM finance_dailytotal;
    DELETE FROM finance_dailyclose;
"""


def main() -> None:
    from finance.closing.actions import close_days
    from finance.reports.frame.models import DailyClose
    from tests.builders.books.full_books import A_DAY_EARLIER
    from tests.builders.processes.waiting import until
    from tests.builders.wallet.tax_office import unguarded

    with unguarded() as cursor:
        cursor.execute(NOTHING_CLOSED + A_DAY_EARLIER)
    # A day is not over while one of the site's transactions may still post to it.
    until(lambda: close_days() or DailyClose.objects.exists())
