"""The base of all reports: the query, its snapshot of the ledger, and pagination.

A report reads only transfers of database transactions older than every unfinished one (the
*horizon*), in the order of those transactions. Cursors contain the horizon, so all pages of one
response belong to the same list, even if transfers are posted meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, cached_property
from itertools import islice
from typing import Any, ClassVar, TypedDict, get_type_hints

from django.core import signing
from django.db.models import Q, QuerySet
from django.utils import translation

from core.db.replica import reading_connection
from finance.exceptions import BadCursor
from finance.reports.frame.models import DailyClose
from finance.reports.frame.periods import Period
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import PLAY_POINTS, as_decimal

CHUNK = 2_000
NO_ACTIVITY = "No activity"
CURSOR_PARTS = 12
CASH, POINTS = "cash", "points"
# The scope that shows tax numbers in full.
FULL = "tax-numbers"

Row = Mapping[str, Any]
# Control totals by currency.
Totals = dict[str, dict[str, int]]
# The header of a report in any format. In functional syntax because `from` is a keyword.
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
# The sort key of the last row that was read.
Position = tuple[int, int]
START: Position = (0, 0)


def figures(currency: str, **minor: int) -> dict[str, Any]:
    """Return the amount columns of a row: each amount as `name_minor` and `name`.

    >>> figures("INR", tax=12_345)
    {'tax_minor': 12345, 'tax': Decimal('123.45')}
    """
    return {
        column: value
        for name, amount in minor.items()
        for column, value in (
            (f"{name}_minor", amount),
            (name, as_decimal(amount, currency)),
        )
    }


@dataclass(frozen=True)
class Question:
    """A report's query: period, filters, and the snapshot of the ledger it reads."""

    period: Period
    horizon: int
    generated_at: datetime
    # SHA-256 of the uploaded file that a reconciliation compares; empty for other reports.
    file: str = ""
    # "cash" or "points" to include only entries in such currencies; empty for all.
    money: str = ""
    # Public ids of a person: who acted, and who the action was about; empty for all.
    by: str = ""
    about: str = ""
    # Whether tax numbers are shown in full, which needs the scope `tax-numbers`.
    shows_tax_numbers: bool = False

    # The fields that are filters of the request, with their values as text.
    FILTERS: ClassVar[tuple[str, ...]] = ("file", "money", "by", "about")

    @classmethod
    def asked(cls, period: Period, *, file: str = "", has_late_entries: bool = False) -> Question:
        """Return the query of a period; of a closed one as of its close, so rows never change.

        A report with late entries always reads the present ledger.
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
        """Return the filters besides the period as text for the report's header."""
        return [
            *([f"file {self.file}"] if self.file else []),
            *(["tax numbers in full"] if self.shows_tax_numbers else []),
            *([f"{self.money} only"] if self.money else []),
            *([f"by {self.by}"] if self.by else []),
            *([f"about {self.about}"] if self.about else []),
        ]

    def filter_values(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in self.FILTERS}

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
    """A kind of report."""

    name: str
    title: str
    # The columns and their types, as a `TypedDict`; missing values are None.
    shape: type[Any]
    # Return up to `size` rows after a position, each with its own position.
    page: Callable[[Question, Position, int], Sequence[tuple[Position, Row]]]
    totals: Callable[[Question], Totals]
    # Increases when the meaning of a figure changes.
    version: int = 1
    # Whether time zones other than the site's are supported.
    any_zone: bool = True
    # For reconciliations: return whether a file with this SHA-256 was uploaded.
    is_file: Callable[[str], bool] | None = None
    # The permission of staff who may read it in their session.
    permission: str = "finance.view_dailyclose"
    # Whether rows are added to closed days later, such as a year's tax in April.
    has_late_entries: bool = False
    # Whether it has a column with tax numbers of players.
    has_tax_numbers: bool = False
    # Whether it has the filter `money`.
    by_money: bool = False
    # Whether it has the filters `by` and `about`.
    by_person: bool = False
    # Return the number of rows, if it can be counted without reading them.
    size: Callable[[Question], int] | None = None
    # Yield the rows as CSV written by the database, which is faster than `page`.
    csv_lines: Callable[[Question], Iterator[tuple[int, bytes]]] | None = None

    @property
    def wants_file(self) -> bool:
        """Return whether the parameter `file` is required."""
        return self.is_file is not None

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(get_type_hints(self.shape))

    def chunks(self, question: Question) -> Iterator[list[Row]]:
        """Yield all rows in chunks, with one chunk in memory at a time."""
        if isinstance(self.page, Whole):  # Computed once, not once for each chunk.
            rows = iter(self.page.rows(question))
            while chunk := list(islice(rows, CHUNK)):
                yield chunk
            return
        after = START
        while page := self.page(question, after, CHUNK):
            yield [row for _, row in page]
            after = page[-1][0]

    def shown_to(self, question: Question, scopes: Sequence[str]) -> Question:
        """Return the question with the rights of a token's scopes."""
        return replace(question, shows_tax_numbers=self.has_tax_numbers and FULL in scopes)

    def header(self, question: Question) -> ReportHeader:
        """Return the header of the report in any format."""
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
    """Paginates a report whose rows are all computed for every page, from the same horizon."""

    rows: Callable[[Question], Iterable[Row]]

    def __call__(
        self, question: Question, after: Position, size: int
    ) -> Sequence[tuple[Position, Row]]:
        start = after[0]
        shown = islice(self.rows(question), start, start + size)
        return [((start + no, 0), row) for no, row in enumerate(shown, 1)]


@dataclass(frozen=True)
class Cursor:
    """A position in the result of one query; signed, so that clients cannot forge one."""

    report: str
    question: Question
    after: Position = START

    @classmethod
    def parse(cls, text: str, *, report: str) -> Cursor:
        try:
            parts = signing.Signer(salt="finance").unsign_object(text)
        except (signing.BadSignature, ValueError) as error:
            raise BadCursor("the cursor is invalid; start without one") from error
        if len(parts) != CURSOR_PARTS:
            raise BadCursor("the cursor is from an earlier version; start without one")
        name, first, last, tz, horizon, generated_at, *filters, xid, pk = parts
        if name != report:
            raise BadCursor("the cursor belongs to another report")
        period = Period(date.fromisoformat(first) if first else None, date.fromisoformat(last), tz)
        question = Question(period, horizon, datetime.fromisoformat(generated_at), *filters)
        return cls(name, question, (xid, pk))

    def __str__(self) -> str:
        asked = self.question
        parts = [
            self.report,
            asked.period.first.isoformat() if asked.period.first else "",
            asked.period.last.isoformat(),
            asked.period.tz,
            asked.horizon,
            asked.generated_at.isoformat(),
            *asked.filter_values().values(),
            *self.after,
        ]
        return signing.Signer(salt="finance").sign_object(parts)

    def past(self, position: Position) -> Cursor:
        return replace(self, after=position)


@cache
def account_label(kind: str) -> str:
    """Return the untranslated label of an account kind."""
    with translation.override(None):
        return str(Account.Kind(kind).label)


@cache
def transfer_label(kind: str) -> str:
    """Return the untranslated label of a transfer kind."""
    with translation.override(None):
        return str(Transfer.Kind(kind).label)
