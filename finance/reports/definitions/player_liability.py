"""The operator's liability to players at the end of a day, by account kind."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any, TypedDict

from django.db.models import Count, Q, QuerySet, Sum

from finance.reports.frame.labels import account_label
from finance.reports.frame.report import Question, Report, Row, Totals, Whole, figures
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


def rows(question: Question) -> list[Row]:
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


def totals(question: Question) -> Totals:
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
    1,
    PlayerLiabilityRow,
    Whole(rows),
    totals,
    by_money=True,
)
