"""Manual adjustments and reversals, with the staff who requested and decided each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TypedDict
from uuid import UUID

from django.db.models import QuerySet

from finance.reports.frame.report import Position, Question, Report, Row, Totals
from finance.reports.journal.journal import Line, journal_row, lines_after, totals_of
from wallet.corrections.models import Adjustment
from wallet.ledger.models import Entry, Transfer

KINDS = (Transfer.Kind.ADJUSTMENT, Transfer.Kind.REVERSAL)
NOBODY = dict.fromkeys(("made_at", "checked_by", "checked_at"))


class AdjustmentRow(TypedDict):
    """An entry of an adjustment or reversal, with the staff who requested and decided it.

    `made_by` is a public id if staff requested the transfer, else the transfer's actor.
    """

    entry: str
    transfer: UUID
    key: str
    kind: str
    booked_on: date
    created_at: datetime
    account: UUID
    account_kind: str
    account_ref: str
    player: UUID | None
    currency: str
    amount_minor: int
    amount: Decimal
    reverses: UUID | None
    reason: str
    made_by: str
    made_at: datetime | None
    checked_by: UUID | None
    checked_at: datetime | None


def entries(question: Question) -> QuerySet[Entry]:
    return question.entries().filter(transfer__kind__in=KINDS)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    found = lines_after(entries(question), after, size)
    people = ("made_by", "checked_by")
    asked = {
        one.transfer_id: one
        for one in Adjustment.objects.filter(
            transfer__in=[line.transfer_pk for line in found]
        ).select_related(*people)
    }
    return [(line.position, _row(line, asked.get(line.transfer_pk))) for line in found]


def _row(line: Line, asked: Adjustment | None) -> Row:
    row = dict(journal_row(line))
    if asked is None:  # Another staff action; the transfer has its reason and actor.
        return row | NOBODY | {"reason": line.memo, "made_by": line.actor}
    return row | {
        "reason": asked.reason,
        "made_by": str(asked.made_by.public_id),
        "made_at": asked.made_at,
        "checked_by": asked.checked_by.public_id if asked.checked_by else None,
        "checked_at": asked.checked_at,
    }


def totals(question: Question) -> Totals:
    return totals_of(entries(question))


ADJUSTMENTS = Report("adjustments", "Adjustments", AdjustmentRow, page, totals, by_money=True)
