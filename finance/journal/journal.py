"""The journal: every entry of the ledger once, in an order that no late commit disturbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Abs

from finance.journal.journal_lines import csv_lines
from finance.reporting.report import Position, Question, Report, Row, Totals
from wallet.ledger.models import Entry

RELATED = ("transfer", "transfer__reverses", "account", "account__player")
COLUMNS = (
    "entry",
    "transfer",
    "key",
    "kind",
    "booked_on",
    "effective_at",
    "created_at",
    "account",
    "account_kind",
    "account_ref",
    "account_version",
    "player",
    "currency",
    "amount_minor",
    "amount",
    "balance_after_minor",
    "reverses",
    "memo",
    "actor",
)


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


def journal_row(entry: Entry) -> dict[str, Any]:
    """Return one entry as finance reads it; the same names in all formats."""
    transfer, account = entry.transfer, entry.account
    return {
        "entry": f"{account.public_id}:{entry.account_version}",
        "transfer": str(transfer.public_id),
        "key": transfer.key,
        "kind": transfer.kind,
        "booked_on": transfer.booked_on.isoformat(),
        "effective_at": transfer.effective_at.isoformat(),
        "created_at": transfer.created_at.isoformat(),
        "account": str(account.public_id),
        "account_kind": account.kind,
        "account_ref": account.ref,
        "account_version": entry.account_version,
        "player": str(account.player.public_id) if account.player else "",
        "currency": entry.currency,
        "amount_minor": entry.amount_minor,
        "amount": str(entry.amount.amount),
        "balance_after_minor": entry.balance_after_minor,
        "reverses": str(transfer.reverses.public_id) if transfer.reverses else "",
        "memo": transfer.memo,
        "actor": transfer.actor,
    }


JOURNAL = Report(
    "journal",
    "Journal",
    1,
    COLUMNS,
    journal_page,
    journal_totals,
    size=lambda question: question.entries().count(),
    csv_lines=csv_lines,
    by_money=True,
)
