"""The journal: every ledger entry once, in an order that does not change with late commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Abs

from finance.reports.frame.report import Position, Question, Report, Row, Totals
from finance.reports.journal.journal_lines import csv_lines
from wallet.ledger.models import Entry
from wallet.ledger.money import as_decimal


class JournalRow(TypedDict):
    """A ledger entry with its transfer and account; a positive amount is a credit.

    `entry` is unique and stable: the account's id and the number of the entry in that account.
    """

    entry: str
    transfer: UUID
    key: str
    kind: str
    booked_on: date
    effective_at: datetime
    created_at: datetime
    account: UUID
    account_kind: str
    account_ref: str
    account_version: int
    player: UUID | None
    currency: str
    amount_minor: int
    amount: Decimal
    balance_after_minor: int
    reverses: UUID | None
    memo: str
    actor: str


RELATED = ("transfer", "transfer__reverses", "account", "account__player")


class Line(NamedTuple):
    """An entry with fields of its transfer and account, in the order of `COLUMNS`."""

    xid: int
    pk: int
    transfer_pk: int
    transfer: UUID
    key: str
    kind: str
    booked_on: date
    effective_at: datetime
    created_at: datetime
    reverses: UUID | None
    memo: str
    actor: str
    account: UUID
    account_kind: str
    account_ref: str
    account_shard: int
    account_version: int
    player: UUID | None
    currency: str
    amount_minor: int
    balance_after_minor: int

    @property
    def position(self) -> Position:
        return self.xid, self.pk

    @property
    def entry(self) -> str:
        return f"{self.account}:{self.account_version}"

    @property
    def amount(self) -> Decimal:
        return as_decimal(self.amount_minor, self.currency)


COLUMNS = (
    *("transfer__xid", "pk", "transfer", "transfer__public_id", "transfer__key", "transfer__kind"),
    *("transfer__booked_on", "transfer__effective_at", "transfer__created_at"),
    *("transfer__reverses__public_id", "transfer__memo", "transfer__actor"),
    *("account__public_id", "account__kind", "account__ref", "account__shard"),
    *("account_version", "account__player__public_id"),
    *("currency", "amount_minor", "balance_after_minor"),
)


def entries_after(entries: QuerySet[Entry], after: Position, size: int) -> QuerySet[Entry]:
    """Return the entries that follow a position, in the journal's order."""
    return _later(entries, after).select_related(*RELATED)[:size]


def lines_after(entries: QuerySet[Entry], after: Position, size: int) -> list[Line]:
    """Return the entries after a position as lines, which are faster than model instances."""
    return [Line._make(row) for row in _later(entries, after).values_list(*COLUMNS)[:size]]


def _later(entries: QuerySet[Entry], after: Position) -> QuerySet[Entry]:
    xid, pk = after
    later = Q(transfer__xid__gt=xid) | Q(transfer__xid=xid, pk__gt=pk)
    # The second condition follows from the first, in a form the index can use.
    return entries.filter(later, transfer__xid__gte=xid).order_by("transfer__xid", "pk")


def journal_page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    page = lines_after(question.entries(), after, size)
    return [(line.position, journal_row(line)) for line in page]


def journal_totals(question: Question) -> Totals:
    return totals_of(question.entries())


def totals_of(entries: QuerySet[Entry]) -> Totals:
    """Return the number of entries and transfers and the sums in and out, by currency."""
    incoming = Q(amount_minor__gt=0)
    sums: QuerySet[Entry, Any] = (
        entries.order_by("currency")
        .values("currency")
        .annotate(
            entries=Count("pk"),
            transfers=Count("transfer", distinct=True),
            in_minor=Sum("amount_minor", filter=incoming, default=0),
            out_minor=Sum(Abs(F("amount_minor")), filter=~incoming, default=0),
        )
    )
    return {row.pop("currency"): {name: int(n) for name, n in row.items()} for row in sums}


def journal_row(line: Line) -> Row:
    """Return one entry as a row of the journal."""
    return {name: getattr(line, name) for name in JournalRow.__annotations__}


JOURNAL = Report(
    "journal",
    "Journal",
    1,
    JournalRow,
    journal_page,
    journal_totals,
    size=lambda question: question.entries().count(),
    csv_lines=csv_lines,
    by_money=True,
)
