"""Closed days and months, and the files that were written of them."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncMonth
from django.utils.formats import date_format

from finance.reports.exports.models import Export
from finance.reports.frame.models import DailyClose

MONTHS_SHOWN: Final = 24


@dataclass(frozen=True, slots=True)
class Month:
    first: date
    last: date
    closed: int

    @property
    def name(self) -> str:
        return date_format(self.first, "F Y")

    @property
    def days(self) -> int:
        return self.last.day


def months() -> list[Month]:
    """Return the months with closed days, the newest first."""
    counted = (
        DailyClose.objects.order_by()
        .annotate(month=TruncMonth("day"))
        .values("month")
        .annotate(closed=Count("day"))
        .order_by("-month")[:MONTHS_SHOWN]
    )
    return [
        Month(
            first=of["month"],
            last=of["month"].replace(day=monthrange(of["month"].year, of["month"].month)[1]),
            closed=of["closed"],
        )
        for of in counted
    ]


def is_closed(last: date) -> bool:
    """Return whether the last day is closed; days are closed in order, so all before it are."""
    return DailyClose.objects.filter(day=last).exists()


def closes(first: date, last: date) -> QuerySet[DailyClose]:
    """Return the closes of the days of a period, in order."""
    return DailyClose.objects.filter(day__range=(first, last)).order_by("day")


def written_files(first: date, last: date) -> dict[str, Any]:
    """Return the last complete file of each report of exactly this period."""
    sent = (
        Export.objects.exclude(format="json")
        .filter(finished_at__isnull=False, filters__contains=f"from={first}")
        .filter(filters__contains=f"to={last}")
        .select_related("token", "staff")
        .order_by("pk")
    )
    return {export.report: export for export in sent}
