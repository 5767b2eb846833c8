"""The journal: every entry of the ledger once, in an order that no late commit disturbs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Abs

from finance.journal.journal_lines import csv_lines
from finance.reporting.report import Position, Question, Report, Row, Totals
from wallet.ledger.models import Entry


class JournalRow(TypedDict):
    """An entry with its transfer and its account."""

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


def behind(entries: QuerySet[Entry], after: Position, size: int) -> QuerySet[Entry]:
    """Return the entries that follow a position, in the journal's order."""
    xid, pk = after
    later = Q(transfer__xid__gt=xid) | Q(transfer__xid=xid, pk__gt=pk)
    # The second condition follows from the first, in a form the index can use.
    found = entries.filter(later, transfer__xid__gte=xid).select_related(*RELATED)
    return found.order_by("transfer__xid", "pk")[:size]


def journal_page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    page = behind(question.entries(), after, size)
    return [((entry.transfer.xid, entry.pk), journal_row(entry)) for entry in page]


def journal_totals(question: Question) -> Totals:
    return totals_of(question.entries())


def totals_of(entries: QuerySet[Entry]) -> Totals:
    """Return how many entries and transfers there are and what came and went, by currency."""
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


def journal_row(entry: Entry) -> JournalRow:
    """Return one entry as finance reads it; the same names in all formats."""
    transfer, account = entry.transfer, entry.account
    return {
        "entry": f"{account.public_id}:{entry.account_version}",
        "transfer": transfer.public_id,
        "key": transfer.key,
        "kind": transfer.kind,
        "booked_on": transfer.booked_on,
        "effective_at": transfer.effective_at,
        "created_at": transfer.created_at,
        "account": account.public_id,
        "account_kind": account.kind,
        "account_ref": account.ref,
        "account_version": entry.account_version,
        "player": account.player.public_id if account.player else None,
        "currency": entry.currency,
        "amount_minor": entry.amount_minor,
        "amount": entry.amount.amount,
        "balance_after_minor": entry.balance_after_minor,
        "reverses": transfer.reverses.public_id if transfer.reverses else None,
        "memo": transfer.memo,
        "actor": transfer.actor,
    }


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
