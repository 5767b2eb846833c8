"""What the operator owes to players, and players to the operator, at the end of a day."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from finance.reports.frame.report import (
    Question,
    Report,
    Row,
    Totals,
    Whole,
    account_label,
    figures,
)
from wallet.bonuses.models import ACCOUNT_OF_MODE, BonusMovement
from wallet.ledger.models import PLAYER_KINDS, Account, Entry

Kind = Account.Kind
# An escrow account holds stakes in play, including their rake and a guarantee's share.
OWED = (*PLAYER_KINDS, Kind.TICKET.value, Kind.ESCROW.value)
LABELS = {
    Kind.WITHDRAWAL_HOLD.value: "Pending withdrawals",
    Kind.ESCROW.value: "In play",
    Kind.TICKET.value: "Tickets",
}


class PlayerLiabilityRow(TypedDict):
    """The liability on one account kind; `accounts` counts accounts with a balance."""

    currency: str
    account_kind: str
    label: str
    accounts: int
    balance_minor: int
    balance: Decimal


def liability_rows(question: Question) -> list[Row]:
    """Return the balances at the end of the period by currency and account kind."""
    held: QuerySet[Entry, Any] = (
        question.entries_until()
        .filter(account__kind__in=OWED)
        .values("currency", "account__kind", "account")
        .annotate(balance=Sum("amount_minor"))
    )
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in held.iterator():
        of = sums[one["currency"], one["account__kind"]]
        of[0] += one["balance"] != 0
        of[1] += int(one["balance"])
    return [
        {
            "currency": currency,
            "account_kind": kind,
            "label": LABELS.get(kind) or account_label(kind),
            "accounts": accounts,
            **figures(currency, balance=minor),
        }
        for (currency, kind), (accounts, minor) in sorted(sums.items())
    ]


def liability_totals(question: Question) -> Totals:
    found: QuerySet[Entry, Any] = (
        question.entries_until()
        .filter(account__kind__in=OWED)
        .values("currency")
        .order_by("currency")
        .annotate(
            owed_minor=Sum("amount_minor"),
            in_play_minor=Sum("amount_minor", filter=Q(account__kind=Kind.ESCROW), default=0),
            entries=Count("pk"),
        )
    )
    return {row.pop("currency"): {name: int(n) for name, n in row.items()} for row in found}


PLAYER_LIABILITY = Report(
    "player-liability",
    "Player liability",
    PlayerLiabilityRow,
    Whole(liability_rows),
    liability_totals,
    by_money=True,
)


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


def bonus_rows(question: Question) -> list[Row]:
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


def bonus_totals(question: Question) -> Totals:
    """Return the outstanding sum of all lots and the balance of their accounts; they must agree."""
    sums: Totals = defaultdict(lambda: {"lots": 0, "left_minor": 0, "ledger_minor": 0})
    for row in bonus_rows(question):
        sums[row["currency"]]["lots"] += row["lots"]
        sums[row["currency"]]["left_minor"] += row["left_minor"]
    held = question.entries_until().filter(account__kind__in=ACCOUNT_OF_MODE.values())
    for currency, _, minor in (
        held.values_list("currency").order_by("currency").annotate(Count("pk"), Sum("amount_minor"))
    ):
        sums[currency]["ledger_minor"] = int(minor)
    return dict(sums)


BONUS_LIABILITY = Report(
    "bonus-liability", "Bonus liability", BonusLiabilityRow, Whole(bonus_rows), bonus_totals
)


class ReceivableRow(TypedDict):
    """A player's debt from reversed payments, its first day and the day of its last movement."""

    player: UUID
    currency: str
    owed_minor: int
    owed: Decimal
    since: date | None
    last_moved_on: date


def receivable_rows(question: Question) -> list[Row]:
    """Return a row for each player with a debt, by currency, the largest debt first."""
    found = sorted(
        _debts(question), key=lambda one: (one["currency"], one["balance"], one["account"])
    )
    return [_receivable_row(question, one) for one in found]


def _receivable_row(question: Question, one: dict[str, Any]) -> Row:
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


def receivable_totals(question: Question) -> Totals:
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


RECEIVABLES = Report(
    "receivables", "Receivables", ReceivableRow, Whole(receivable_rows), receivable_totals
)
