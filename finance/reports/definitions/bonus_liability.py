"""Outstanding bonuses at the end of a day, by mode and month of expiry."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any, TypedDict

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from finance.reports.frame.report import Question, Report, Row, Totals, Whole, figures
from wallet.bonuses.models import ACCOUNT_OF_MODE, BonusMovement


class BonusLiabilityRow(TypedDict):
    """Outstanding amount of the bonus lots of one mode that expire in one month (`2026-04`).

    `lots` is the number of lots with an outstanding amount.
    """

    currency: str
    mode: str
    month_of_expiry: str
    lots: int
    left_minor: int
    left: Decimal


def rows(question: Question) -> list[Row]:
    """Return outstanding lots by currency, mode and month of expiry; used-up lots are left out."""
    moved: QuerySet[BonusMovement, Any] = (
        BonusMovement.objects.filter(question.period.until(), transfer__xid__lt=question.horizon)
        .annotate(month=TruncMonth("grant__expires_at", tzinfo=timezone.get_default_timezone()))
        .order_by("grant__account__currency", "grant__mode", "month")
        .values("grant__account__currency", "grant__mode", "month", "grant")
        .annotate(left=Sum("amount_minor"))
        .filter(left__gt=0)
    )
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in moved.iterator():
        month = one["month"].strftime("%Y-%m")
        of = sums[one["grant__account__currency"], one["grant__mode"], month]
        of[0] += 1
        of[1] += int(one["left"])
    return [
        {
            "currency": currency,
            "mode": mode,
            "month_of_expiry": month,
            "lots": lots,
            **figures(currency, left=left),
        }
        for (currency, mode, month), (lots, left) in sorted(sums.items())
    ]


def totals(question: Question) -> Totals:
    """Return the outstanding sum of all lots and the balance of their accounts; they must agree."""
    sums: Totals = defaultdict(lambda: {"lots": 0, "left_minor": 0, "ledger_minor": 0})
    for row in rows(question):
        sums[row["currency"]]["lots"] += row["lots"]
        sums[row["currency"]]["left_minor"] += row["left_minor"]
    held = question.entries_until().filter(account__kind__in=ACCOUNT_OF_MODE.values())
    for currency, _, minor in (
        held.values_list("currency").order_by("currency").annotate(Count("pk"), Sum("amount_minor"))
    ):
        sums[currency]["ledger_minor"] = int(minor)
    return dict(sums)


BONUS_LIABILITY = Report(
    "bonus-liability", "Bonus liability", 1, BonusLiabilityRow, Whole(rows), totals
)
