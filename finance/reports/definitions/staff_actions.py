"""Reports for auditors: the log of staff actions, and the last seal of each day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TypedDict
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import TruncDate

from core.models import AuditEntry
from finance.reports.frame.periods import EARLIEST
from finance.reports.frame.report import Position, Question, Report, Row, Totals, Whole
from wallet.audit.models import Seal

# Columns with the name and value of the entry's field.
STORED = ("at", "service", "kind", "row", "name", "reason", "before", "after")


class StaffActionRow(TypedDict):
    """A staff action: the actor, the row it changed, the reason, and the values before and after.

    `by` and `about` are public ids; `service` names an automated actor, for which `by` is null.
    """

    number: int
    at: datetime
    by: UUID | None
    service: str
    action: str
    kind: str
    row: str
    name: str
    about: UUID | None
    reason: str
    before: str
    after: str


class HeadRow(TypedDict):
    """The last seal of a day; its hash covers all sealed rows before it."""

    day: date
    number: int
    hash: str
    previous: str
    sealed_at: datetime


def actions(question: Question) -> QuerySet[AuditEntry]:
    """Return the committed staff actions of the period, by the time of the action."""
    begin, end = _moments(question)
    found = AuditEntry.objects.filter(at__gte=begin, at__lt=end, at__lte=question.generated_at)
    if question.by:
        found = found.filter(by__public_id=question.by)
    if question.about:
        found = found.filter(about__public_id=question.about)
    return found


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    found = actions(question).filter(pk__gt=after[0]).select_related("by", "about").order_by("pk")
    return [((entry.pk, 0), _row(entry)) for entry in found[:size]]


def _row(entry: AuditEntry) -> Row:
    return {
        **{name: getattr(entry, name) for name in STORED},
        "number": entry.pk,
        "by": entry.by.public_id if entry.by else None,
        "action": entry.act,
        "about": entry.about.public_id if entry.about else None,
    }


def totals(question: Question) -> Totals:
    number = actions(question).count()
    return {"actions": {"number": number}} if number else {}


def heads(question: Question) -> list[Row]:
    """Return the last seal of each day, as `seal_ledger --head` prints it."""
    begin, end = _moments(question)
    made = Seal.objects.filter(
        sealed_at__gte=begin, sealed_at__lt=end, sealed_at__lte=question.generated_at
    )
    days = made.annotate(day=TruncDate("sealed_at", tzinfo=begin.tzinfo))
    last = days.order_by("day", "-number").distinct("day")
    return list(last.values(*HeadRow.__annotations__))


def heads_totals(question: Question) -> Totals:
    days = len(heads(question))
    return {"heads": {"days": days}} if days else {}


def _moments(question: Question) -> tuple[datetime, datetime]:
    """Return the first moment of the period and the first one after it."""
    period = question.period
    begin = period.midnight(period.first or EARLIEST)
    return begin, period.midnight(period.last + timedelta(days=1))


STAFF_ACTIONS = Report(
    "staff-actions",
    "Staff actions",
    StaffActionRow,
    page,
    totals,
    by_person=True,
    permission="core.view_auditentry",
)
SEAL_HEADS = Report(
    "seal-heads", "Last seal of each day", HeadRow, Whole(heads), heads_totals, any_zone=False
)
