"""For a running site: put all transfers on the day before, and close it."""

from __future__ import annotations


def main() -> None:
    from finance.closing.actions import close_days
    from tests.builders.books.full_books import a_day_passes

    a_day_passes()
    close_days()
