"""The file a bank gets: a line for each withdrawal of a batch, the same each time it is made."""

from __future__ import annotations

from collections.abc import Iterator

from wallet.payments.withdrawal_models import PayoutBatch, Withdrawal
from wallet.withdrawals.payees import open_payee

COLUMNS = ("reference", "payee_name", "bank_account", "ifsc", "amount", "currency")
CHUNK = 500


def payout_rows(batch: PayoutBatch) -> Iterator[list[dict[str, str]]]:
    """Return the lines of a batch in the order of the requests, in chunks."""
    rows = batch.withdrawals.order_by("pk")
    for start in range(0, rows.count(), CHUNK):
        yield [_line(withdrawal) for withdrawal in rows[start : start + CHUNK]]


def _line(withdrawal: Withdrawal) -> dict[str, str]:
    payee = open_payee(withdrawal)
    return {
        "reference": str(withdrawal.public_id),
        "payee_name": payee.name,
        "bank_account": payee.bank_account,
        "ifsc": payee.ifsc,
        "amount": str(withdrawal.payout.amount),
        "currency": withdrawal.currency,
    }
