"""Debts of players at the end of a day, from reversed payments."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Max, QuerySet, Sum

from finance.reports.frame.report import Question, Report, Row, Totals, Whole, figures
from wallet.ledger.models import Account, Entry


class ReceivableRow(TypedDict):
    """A player's debt, the day it began, and the day of its last movement."""

    player: UUID
    currency: str
    owed_minor: int
    owed: Decimal
    since: date | None
    last_moved_on: date


def rows(question: Question) -> list[Row]:
    """Return a row for each player with a debt, by currency, the largest debt first."""
    found = sorted(
        _debts(question), key=lambda one: (one["currency"], one["balance"], one["account"])
    )
    return [_row(question, one) for one in found]


def _row(question: Question, one: dict[str, Any]) -> Row:
    minor = -int(one["balance"])
    entries = question.entries_until().filter(account=one["account"])
    # The debt began with the first entry after the account's last balance of 0.
    paid_off = entries.filter(balance_after_minor=0).aggregate(last=Max("pk"))["last"] or 0
    began = entries.filter(pk__gt=paid_off).order_by("pk").first()
    return {
        "player": one["account__player__public_id"],
        "currency": one["currency"],
        **figures(one["currency"], owed=minor),
        "since": began.transfer.booked_on if began else None,
        "last_moved_on": one["last"],
    }


def totals(question: Question) -> Totals:
    found: Totals = {}
    for one in _debts(question).order_by("currency"):
        total = found.setdefault(one["currency"], {"players": 0, "owed_minor": 0})
        total["players"] += 1
        total["owed_minor"] -= int(one["balance"])
    return found


def _debts(question: Question) -> QuerySet[Entry, Any]:
    owed = question.entries_until().filter(account__kind=Account.Kind.RECEIVABLE)
    return (
        owed.values("currency", "account", "account__player__public_id")
        .annotate(balance=Sum("amount_minor"), last=Max("transfer__booked_on"))
        .filter(balance__lt=0)
    )


RECEIVABLES = Report("receivables", "Receivables", 1, ReceivableRow, Whole(rows), totals)
