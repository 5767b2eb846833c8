"""Withdrawals by event: requested, paid or returned to the player's wallet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from finance.reports.frame.report import Position, Question, Report, Row, Totals, figures
from finance.reports.journal.journal import entries_after
from wallet.ledger.models import Account, Entry, Transfer
from wallet.withdrawals.models import Withdrawal

REQUESTED, PAID, RETURNED = "requested", "paid", "returned"
# A request credits the hold account; a payment or a return debits it.
IS_REQUEST = Q(amount_minor__gt=0)
IS_RETURN = Q(transfer__kind=Transfer.Kind.REVERSAL)
# The parts of a withdrawal's amount.
PARTS = ("deposit_minor", "winnings_minor", "tax_minor")


class WithdrawalRow(TypedDict):
    """An event of a withdrawal: `requested`, `paid` or `returned`.

    `deposit_minor` and `winnings_minor` are the parts taken from each balance, `tax_minor` the TDS
    withheld.
    """

    withdrawal: UUID | None
    event: str
    booked_on: date
    created_at: datetime
    player: UUID | None
    currency: str
    payout_minor: int
    payout: Decimal
    deposit_minor: int | None
    winnings_minor: int | None
    tax_minor: int | None
    key: str
    actor: str


def entries(question: Question) -> QuerySet[Entry]:
    return question.entries().filter(account__kind=Account.Kind.WITHDRAWAL_HOLD)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    found = list(entries_after(entries(question), after, size))
    asked = {e.transfer.reverses_id or e.transfer_id for e in found}
    paid = {e.transfer.document_id for e in found if _is_payout(e.transfer)}
    withdrawals = Withdrawal.objects.filter(Q(hold__in=asked) | Q(pk__in=paid))
    by_hold = {one.hold_id: one for one in withdrawals}
    by_pk: dict[int | None, Withdrawal] = {one.pk: one for one in withdrawals}
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
    transfer = entry.transfer
    event = REQUESTED if entry.amount_minor > 0 else PAID
    if transfer.kind == Transfer.Kind.REVERSAL:
        event = RETURNED
    return {
        "withdrawal": withdrawal.public_id if withdrawal else None,
        "event": event,
        "booked_on": transfer.booked_on,
        "created_at": transfer.created_at,
        "player": entry.account.player.public_id if entry.account.player else None,
        "currency": entry.currency,
        **figures(entry.currency, payout=abs(entry.amount_minor)),
        **{name: getattr(withdrawal, name, None) for name in PARTS},
        "key": transfer.key,
        "actor": transfer.actor,
    }


def totals(question: Question) -> Totals:
    """Return the sums by event; requested - paid - returned = movement of the hold account."""
    is_paid = ~IS_REQUEST & ~IS_RETURN
    sums: QuerySet[Entry, Any] = (
        entries(question)
        .values("currency")
        .order_by("currency")
        .annotate(
            events=Count("pk"),
            requested_minor=Sum("amount_minor", filter=IS_REQUEST, default=0),
            paid_minor=-Sum("amount_minor", filter=is_paid, default=0),
            returned_minor=-Sum("amount_minor", filter=~IS_REQUEST & IS_RETURN, default=0),
        )
    )
    return {row.pop("currency"): {name: int(n) for name, n in row.items()} for row in sums}


WITHDRAWALS = Report("withdrawals", "Withdrawals", WithdrawalRow, page, totals, by_money=True)
