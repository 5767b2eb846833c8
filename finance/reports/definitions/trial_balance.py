"""The trial balance: opening balance, movements and closing balance by account kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypedDict

from django.db.models import Count, Q, QuerySet, Sum

from finance.reports.frame.models import DailyTotal
from finance.reports.frame.report import Question, Report, Row, Totals, Whole, figures
from wallet.ledger.models import Entry


class MovedRow(TypedDict):
    """The columns of an account kind that closed days and the trial balance have in common."""

    currency: str
    account_kind: str
    opening_minor: int
    in_minor: int
    out_minor: int
    closing_minor: int
    opening: Decimal
    closing: Decimal


class TrialBalanceRow(MovedRow):
    """An account kind in one currency over the period; opening + in - out = closing."""

    entries: int


@dataclass(frozen=True)
class Line:
    """All accounts of one kind in one currency over a period; opening + in - out = closing."""

    currency: str
    account_kind: str
    opening_minor: int
    in_minor: int
    out_minor: int
    entries: int

    @property
    def closing_minor(self) -> int:
        return self.opening_minor + self.in_minor - self.out_minor


def lines(question: Question) -> list[Line]:
    """Return a line for every account kind and currency with an entry up to the period's end."""
    period = question.period.within()
    is_in = Q(amount_minor__gt=0)
    found: QuerySet[Entry, Any] = (
        question.entries_until()
        .values("currency", "account__kind")
        .order_by("currency", "account__kind")
        .annotate(
            ended=Sum("amount_minor"),
            came=Sum("amount_minor", filter=period & is_in, default=0),
            went=Sum("amount_minor", filter=period & ~is_in, default=0),
            entries=Count("pk", filter=period),
        )
    )
    return [
        Line(
            currency=one["currency"],
            account_kind=one["account__kind"],
            opening_minor=int(one["ended"] - one["came"] - one["went"]),
            in_minor=int(one["came"]),
            out_minor=-int(one["went"]),
            entries=one["entries"],
        )
        for one in found
    ]


def moved_row(line: Line | DailyTotal) -> Row:
    return {
        "currency": line.currency,
        "account_kind": line.account_kind,
        "in_minor": line.in_minor,
        "out_minor": line.out_minor,
        **figures(line.currency, opening=line.opening_minor, closing=line.closing_minor),
    }


def rows(question: Question) -> list[Row]:
    return [{**moved_row(line), "entries": line.entries} for line in lines(question)]


def totals(question: Question) -> Totals:
    """Return the sums of the columns; opening and closing must be 0, in and out equal."""
    names = ("opening_minor", "in_minor", "out_minor", "closing_minor", "entries")
    return sums_of(lines(question), *names)


def sums_of(lines: Iterable[Line | DailyTotal], *names: str) -> Totals:
    """Return the sums of these columns by currency."""
    sums: Totals = {}
    for line in lines:
        total = sums.setdefault(line.currency, dict.fromkeys(names, 0))
        for name in names:
            total[name] += getattr(line, name)
    return sums


TRIAL_BALANCE = Report(
    "trial-balance", "Trial balance", TrialBalanceRow, Whole(rows), totals, by_money=True
)


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


def totals_of_days(question: Question) -> QuerySet[DailyTotal]:
    """Return the totals of the period's days that were closed when the report was generated."""
    closed = DailyTotal.objects.select_related("close").filter(
        close__day__lte=question.period.last, close__closed_at__lte=question.generated_at
    )
    if question.period.first is not None:
        closed = closed.filter(close__day__gte=question.period.first)
    return closed.order_by("close", "currency", "account_kind")


def closed_rows(question: Question) -> list[Row]:
    of_day = (*_Day.__annotations__, *_Hashes.__annotations__)
    return [
        {**moved_row(one), **{name: getattr(one.close, name) for name in of_day}}
        for one in totals_of_days(question)
    ]


def closed_totals(question: Question) -> Totals:
    """Return the movements of all these days by currency; in and out must be equal."""
    return sums_of(totals_of_days(question), "in_minor", "out_minor", "closing_minor")


DAILY_CLOSE = Report(
    "daily-close",
    "Daily closes",
    DailyCloseRow,
    Whole(closed_rows),
    closed_totals,
    any_zone=False,
)
