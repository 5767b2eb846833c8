"""Corrections by hand and reversals, each with who asked for it and who decided."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from finance.journal.journal import behind, journal_row, totals_of
from finance.reporting.report import Position, Question, Report, Row, Totals
from wallet.corrections.models import Adjustment
from wallet.ledger.models import Entry, Transfer

KINDS = (Transfer.Kind.ADJUSTMENT, Transfer.Kind.REVERSAL)
COLUMNS = (
    "entry",
    "transfer",
    "key",
    "kind",
    "booked_on",
    "created_at",
    "account",
    "account_kind",
    "account_ref",
    "player",
    "currency",
    "amount_minor",
    "amount",
    "reverses",
    "reason",
    "made_by",
    "made_at",
    "checked_by",
    "checked_at",
)
NOBODY = {"made_by": "", "made_at": "", "checked_by": "", "checked_at": ""}


def entries(question: Question) -> QuerySet[Entry]:
    return question.entries().filter(transfer__kind__in=KINDS)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    found = list(behind(entries(question), after, size))
    people = ("made_by", "checked_by")
    asked = {
        one.transfer_id: one
        for one in Adjustment.objects.filter(
            transfer__in=[entry.transfer_id for entry in found]
        ).select_related(*people)
    }
    return [((e.transfer.xid, e.pk), _row(e, asked.get(e.transfer_id))) for e in found]


def _row(entry: Entry, asked: Adjustment | None) -> Row:
    row = journal_row(entry)
    if asked is None:  # Another act of staff; the transfer names it and who did it.
        return row | NOBODY | {"reason": entry.transfer.memo, "made_by": entry.transfer.actor}
    return row | {
        "reason": asked.reason,
        "made_by": str(asked.made_by.public_id),
        "made_at": asked.made_at.isoformat(),
        "checked_by": str(asked.checked_by.public_id) if asked.checked_by else "",
        "checked_at": asked.checked_at.isoformat() if asked.checked_at else "",
    }


def totals(question: Question) -> Totals:
    return totals_of(entries(question))


ADJUSTMENTS = Report("adjustments", "Adjustments", 1, COLUMNS, page, totals, by_money=True)
