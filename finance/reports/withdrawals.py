"""Withdrawals step by step: what was set aside, what the bank was paid, what was given back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from finance.journal.journal import behind
from finance.reporting.report import Position, Question, Report, Row, Totals
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money
from wallet.payments.withdrawal_models import Withdrawal

REQUESTED, PAID, GIVEN_BACK = "requested", "paid", "given back"
COLUMNS = (
    "withdrawal",
    "event",
    "booked_on",
    "created_at",
    "player",
    "currency",
    "payout_minor",
    "payout",
    "deposit_minor",
    "winnings_minor",
    "tax_minor",
    "key",
    "actor",
)
# What of a withdrawal lies in the hold: comes at the request, and leaves at its end.
IS_REQUEST = Q(amount_minor__gt=0)
IS_RETURN = Q(transfer__kind=Transfer.Kind.REVERSAL)


def entries(question: Question) -> QuerySet[Entry]:
    return question.entries().filter(account__kind=Account.Kind.WITHDRAWAL_HOLD)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    found = list(behind(entries(question), after, size))
    asked = {e.transfer.reverses_id or e.transfer_id for e in found}
    paid = {e.transfer.document_id for e in found if _is_payout(e.transfer)}
    behind_them = Withdrawal.objects.filter(Q(hold__in=asked) | Q(pk__in=paid))
    by_hold = {one.hold_id: one for one in behind_them}
    by_pk: dict[int | None, Withdrawal] = {one.pk: one for one in behind_them}
    return [
        (
            (e.transfer.xid, e.pk),
            _row(
                e,
                by_pk.get(e.transfer.document_id)
                if _is_payout(e.transfer)
                else by_hold.get(e.transfer.reverses_id or e.transfer_id),
            ),
        )
        for e in found
    ]


def _is_payout(transfer: Transfer) -> bool:
    return transfer.document == Transfer.Document.PAYOUT


def _row(entry: Entry, withdrawal: Withdrawal | None) -> Row:
    transfer, minor = entry.transfer, abs(entry.amount_minor)
    event = REQUESTED if entry.amount_minor > 0 else PAID
    if transfer.kind == Transfer.Kind.REVERSAL:
        event = GIVEN_BACK
    values: dict[str, Any] = {
        "withdrawal": str(withdrawal.public_id) if withdrawal else "",
        "event": event,
        "booked_on": transfer.booked_on.isoformat(),
        "created_at": transfer.created_at.isoformat(),
        "player": str(entry.account.player.public_id) if entry.account.player else "",
        "currency": entry.currency,
        "payout_minor": minor,
        "payout": str(as_money(minor, entry.currency).amount),
        "key": transfer.key,
        "actor": transfer.actor,
    }
    shares = ("deposit_minor", "winnings_minor", "tax_minor")
    return values | {name: getattr(withdrawal, name) if withdrawal else "" for name in shares}


def totals(question: Question) -> Totals:
    """Return what was set aside, paid and given back; less the rest it is what the hold moved."""
    is_paid = ~IS_REQUEST & ~IS_RETURN
    sums: QuerySet[Entry, Any] = (
        entries(question)
        .values("currency")
        .order_by("currency")
        .annotate(
            events=Count("pk"),
            requested_minor=Sum("amount_minor", filter=IS_REQUEST, default=0),
            paid_minor=-Sum("amount_minor", filter=is_paid, default=0),
            given_back_minor=-Sum("amount_minor", filter=~IS_REQUEST & IS_RETURN, default=0),
        )
    )
    return {row.pop("currency"): {name: int(n) for name, n in row.items()} for row in sums}


WITHDRAWALS = Report("withdrawals", "Withdrawals", 1, COLUMNS, page, totals, by_money=True)
