"""The frame all reports share: a question, a horizon nothing slips in behind, and pages.

A report reads only transfers of database transactions older than every unfinished one (the
*horizon*), in the order of those transactions. Cursors carry the horizon, so the pages of one
response are pages of the same list, even if transfers are posted meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, TypedDict, get_type_hints

from django.core import signing
from django.db.models import Q, QuerySet

from core.db.replica import reading_connection
from finance.exceptions import BadCursor
from finance.reports.frame.models import DailyClose
from finance.reports.frame.periods import Period
from wallet.ledger.models import Entry
from wallet.ledger.money import PLAY_POINTS

CHUNK = 2_000
NO_ACTIVITY = "No activity"
CURSOR_PARTS = 12
CASH, POINTS = "cash", "points"
# The scope that shows tax numbers in full.
FULL = "tax-numbers"

Row = Mapping[str, Any]
# What a complete copy must add up to, by currency.
Totals = dict[str, dict[str, int]]
# What stands above every answer, in any format; `from` is a word of Python's.
ReportHeader = TypedDict(
    "ReportHeader",
    {
        "report": str,
        "title": str,
        "definition_version": str,
        "from": str,
        "to": str,
        "tz": str,
        "generated_at": str,
        "filters": str,
    },
)
# Behind which row a reader is: the numbers a report orders its rows by.
Position = tuple[int, int]
START: Position = (0, 0)


@dataclass(frozen=True)
class Question:
    """What is asked of a report, and the moment of the books that answers it."""

    period: Period
    horizon: int
    generated_at: datetime
    # The gateway's file the ledger is held against, by its SHA-256; of most reports none.
    file: str = ""
    # Whether tax numbers are shown in full: to tokens with the scope for it.
    shows_tax_numbers: bool = False
    # "cash" or "points" for entries of such currencies alone.
    money: str = ""
    # Whose acts, and acts about whom: players' public ids.
    by: str = ""
    about: str = ""

    @classmethod
    def asked(cls, period: Period, *, file: str = "", has_late_entries: bool = False) -> Question:
        """Ask about a period: as of its close if it is closed, so that the answer never changes.

        What reports with late entries say about days that are closed grows all the same.
        """
        is_fixed = period.is_site_zone and not has_late_entries
        if is_fixed and (close := DailyClose.objects.filter(day=period.last).first()):
            return cls(period, close.horizon, close.closed_at, file)
        with reading_connection().cursor() as cursor:
            cursor.execute(
                "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, ledger_now()"
            )
            horizon, moment = cursor.fetchone()
            return cls(period, horizon, moment, file)

    @property
    def filters(self) -> list[str]:
        """Return what narrows or widens the answer besides the period, for its header."""
        return [
            *([f"file {self.file}"] if self.file else []),
            *(["tax numbers in full"] if self.shows_tax_numbers else []),
            *([f"{self.money} only"] if self.money else []),
            *([f"by {self.by}"] if self.by else []),
            *([f"about {self.about}"] if self.about else []),
        ]

    def entries(self) -> QuerySet[Entry]:
        """Return the ledger's entries of the period."""
        return self.settled().filter(self.period.within())

    def entries_until(self) -> QuerySet[Entry]:
        """Return the ledger's entries from the beginning to the end of the period."""
        return self.settled().filter(self.period.until())

    def settled(self) -> QuerySet[Entry]:
        found = Entry.objects.order_by().filter(transfer__xid__lt=self.horizon)
        if not self.money:
            return found
        is_points = Q(currency=PLAY_POINTS)
        return found.filter(is_points if self.money == POINTS else ~is_points)


@dataclass(frozen=True)
class Report:
    """One kind of answer; `version` counts changes of what its figures mean."""

    name: str
    title: str
    version: int
    # The columns and what is in them, as a `TypedDict`; what is missing in a row is None.
    shape: type[Any]
    # The rows behind a position, at most so many, each with its own position.
    page: Callable[[Question, Position, int], Sequence[tuple[Position, Row]]]
    totals: Callable[[Question], Totals]
    # Whether the report can be asked for in a time zone other than the house's.
    any_zone: bool = True
    # Whether a file of this SHA-256 was uploaded, where the books are held against one.
    is_file: Callable[[str], bool] | None = None
    # Whether entries of days that are closed are made later, such as a year's tax in April.
    has_late_entries: bool = False
    # Whether it names the tax numbers of players.
    has_tax_numbers: bool = False
    # Whether it can be asked for cash or points alone.
    by_money: bool = False
    # Whether it can be asked for the acts of one person, and for those about one.
    by_person: bool = False
    # How many rows the answer will have, where that is known without reading them.
    size: Callable[[Question], int] | None = None
    # The rows as parts of CSV, where the database writes them faster than `page` is read.
    csv_lines: Callable[[Question], Iterator[tuple[int, bytes]]] | None = None

    @property
    def wants_file(self) -> bool:
        """Return whether a file has to be named: it is about one file and not about days."""
        return self.is_file is not None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(get_type_hints(self.shape))

    def chunks(self, question: Question) -> Iterator[list[Row]]:
        """Walk through the whole answer, a chunk in memory at a time."""
        if isinstance(self.page, Whole):  # Reckoned once, not once for each chunk.
            rows = self.page.rows(question)
            for start in range(0, len(rows), CHUNK):
                yield list(rows[start : start + CHUNK])
            return
        after = START
        while page := self.page(question, after, CHUNK):
            yield [row for _, row in page]
            after = page[-1][0]

    def shown_to(self, question: Question, scopes: Sequence[str]) -> Question:
        """Return a question as it is answered to a token of some scopes."""
        return replace(question, shows_tax_numbers=self.has_tax_numbers and FULL in scopes)

    def header(self, question: Question) -> ReportHeader:
        """Return what stands above every answer, in any format."""
        period = question.period
        return {
            "report": self.name,
            "title": self.title,
            "definition_version": str(self.version),
            "from": period.first.isoformat() if period.first else "the beginning",
            "to": period.last.isoformat(),
            "tz": period.tz,
            "generated_at": question.generated_at.isoformat(),
            "filters": ", ".join(question.filters) or "none besides the period",
        }


@dataclass(frozen=True)
class Whole:
    """Pages of a report whose rows are reckoned anew for every page, from the same horizon."""

    rows: Callable[[Question], Sequence[Row]]

    def __call__(
        self, question: Question, after: Position, size: int
    ) -> Sequence[tuple[Position, Row]]:
        start = after[0]
        shown = self.rows(question)[start : start + size]
        return [((start + no, 0), row) for no, row in enumerate(shown, 1)]


@dataclass(frozen=True)
class Cursor:
    """Where a reader is in one answer to one question; signed, so that none is made up."""

    report: str
    question: Question
    after: Position = START

    @classmethod
    def parse(cls, text: str, *, report: str) -> Cursor:
        try:
            parts = signing.Signer(salt="finance").unsign_object(text)
        except (signing.BadSignature, ValueError) as error:
            raise BadCursor("the cursor is not one this interface gave out") from error
        if len(parts) != CURSOR_PARTS:
            raise BadCursor("the cursor was given out by an earlier version; begin anew")
        name, first, last, tz, horizon, generated_at, file, money, by, about, *after = parts
        if name != report:
            raise BadCursor("the cursor belongs to another report")
        period = Period(date.fromisoformat(first) if first else None, date.fromisoformat(last), tz)
        moment = datetime.fromisoformat(generated_at)
        question = Question(period, horizon, moment, file, money=money, by=by, about=about)
        return cls(name, question, (after[0], after[1]))

    def __str__(self) -> str:
        asked = self.question
        parts = [
            self.report,
            asked.period.first.isoformat() if asked.period.first else "",
            asked.period.last.isoformat(),
            asked.period.tz,
            asked.horizon,
            asked.generated_at.isoformat(),
            asked.file,
            asked.money,
            asked.by,
            asked.about,
            *self.after,
        ]
        return signing.Signer(salt="finance").sign_object(parts)

    def past(self, position: Position) -> Cursor:
        return replace(self, after=position)
