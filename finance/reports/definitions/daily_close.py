"""Closed days: opening balance, movements and closing balance by account kind, and the hash."""

from __future__ import annotations

from datetime import date, datetime
from typing import TypedDict

from django.db.models import QuerySet

from finance.reports.definitions.trial_balance import MovedRow, moved_row, sums_of
from finance.reports.frame.models import DailyTotal
from finance.reports.frame.report import Question, Report, Row, Totals, Whole


class _Day(TypedDict):
    day: date
    closed_at: datetime
    transfers: int
    entries: int
    games: int


class _Hashes(TypedDict):
    control_hash: str
    previous_hash: str


class DailyCloseRow(_Day, MovedRow, _Hashes):
    """One account kind on a closed day.

    `transfers`, `entries`, `games` and the hashes are of the whole day, repeated in each row.
    """


def found(question: Question) -> QuerySet[DailyTotal]:
    """Return the totals of the period's days that were closed when the report was generated."""
    closed = DailyTotal.objects.select_related("close").filter(
        close__day__lte=question.period.last, close__closed_at__lte=question.generated_at
    )
    if question.period.first is not None:
        closed = closed.filter(close__day__gte=question.period.first)
    return closed.order_by("close", "currency", "account_kind")


def rows(question: Question) -> list[Row]:
    of_day = (*_Day.__annotations__, *_Hashes.__annotations__)
    return [
        {**moved_row(one), **{name: getattr(one.close, name) for name in of_day}}
        for one in found(question)
    ]


def totals(question: Question) -> Totals:
    """Return the movements of all these days by currency; in and out must be equal."""
    return sums_of(found(question), "in_minor", "out_minor", "closing_minor")


DAILY_CLOSE = Report(
    "daily-close", "Daily closes", 1, DailyCloseRow, Whole(rows), totals, any_zone=False
)
