"""Explain rows of a bank's reconciliation that match nothing, such as the bank's charges.

An explanation moves no money and changes no match: the row keeps its outcome and is no longer open.
It is about one outcome of a row; a row that later has another outcome is open again.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from core import audit_log
from core.text_validation import refuse_lines
from finance.exceptions import NothingToExplain
from finance.matching.models import BankExplanation, BankStatement
from finance.matching.report import BankReconciliationRow, is_open, row_key, rows_of
from players.accounts.conflicts_of_interest import refuse_own_interest, require_reason
from players.accounts.models import User
from wallet.withdrawals.models import Withdrawal


@transaction.atomic(durable=True)
def explain_rows(*, statement_id: int, keys: Collection[str], reason: str, by: User) -> int:
    """Explain open rows of a statement by their `row_key`; return their number.

    Raise `NothingToExplain` if none of them is open, `ReasonMissing` without a reason, and
    `SharedInterest` if a row is about a payout to `by`, or to a player in a game with them.
    """
    require_reason(reason)
    refuse_lines(reason)
    statement = BankStatement.objects.get(pk=statement_id)
    chosen = [row for row in rows_of(statement) if is_open(row) and row_key(row) in keys]
    if not chosen:
        raise NothingToExplain("None of these rows is open. Select open rows.")
    refuse_own_interest(*_payees(chosen), by=by)
    made = BankExplanation.objects.bulk_create(
        [
            BankExplanation(statement=statement, row=row_key(row), reason=reason.strip(), staff=by)
            for row in chosen
        ],
        ignore_conflicts=True,  # A colleague has just explained it.
    )
    after = {one.row: one.reason for one in made}
    audit_log.record(
        by=by, act="explain", row=statement, before={}, after=after, reason=reason.strip()
    )
    return len(made)


def _payees(rows: Collection[BankReconciliationRow]) -> list[User]:
    payouts = [row["withdrawal"] for row in rows if row["withdrawal"]]
    found = Withdrawal.objects.filter(public_id__in=payouts).select_related("player")
    return [one.player for one in found]
