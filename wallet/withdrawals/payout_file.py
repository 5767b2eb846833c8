"""The file a bank gets: a line for each withdrawal of a batch that it has not answered yet.

Until then the file is the same each time it is made. What the bank paid or refused is left out: a
file that is handed in once more pays nobody twice, nor a player whose money is in the wallet again.

A layout is a template: the bank's headings, each with the field of ours that stands under it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils import timezone

from wallet.withdrawals.models import PayoutBatch, Withdrawal
from wallet.withdrawals.payees.banks import merged_codes
from wallet.withdrawals.payees.sealing import open_payee

CHUNK = 500
# Banks refuse longer names.
NAME_MAX: Final = 40


@dataclass(frozen=True)
class Layout:
    """The columns of one kind of file; a value in quotes (`"=NEFT"`) is the same in every line."""

    title: str
    columns: dict[str, str]

    def line(self, fields: dict[str, str]) -> dict[str, str]:
        return {
            heading: field[1:] if field.startswith("=") else fields[field]
            for heading, field in self.columns.items()
        }


PLAIN: Final = "plain"
_OURS = ("reference", "payee_name", "bank_account", "ifsc", "amount", "currency")
LAYOUTS: Final = {
    PLAIN: Layout("CSV", {name: name for name in _OURS}),
    "neft": Layout(
        "NEFT",
        {
            "Transaction Type": "=NEFT",
            "Amount": "amount",
            "Value Date": "day",
            "Beneficiary Name": "bank_name",
            "Beneficiary Account No": "bank_account",
            "IFSC Code": "ifsc",
            "Customer Reference": "short_reference",
            "Remarks": "=Withdrawal",
        },
    ),
    "imps": Layout(
        "IMPS",
        {
            "Payment Mode": "=IMPS",
            "Customer Reference": "short_reference",
            "Beneficiary Account No": "bank_account",
            "Beneficiary IFSC": "ifsc",
            "Beneficiary Name": "bank_name",
            "Amount": "amount",
            "Narration": "short_reference",
        },
    ),
}
COLUMNS = tuple(LAYOUTS[PLAIN].columns)


def payout_rows(batch: PayoutBatch, *, layout: str = PLAIN) -> Iterator[list[dict[str, str]]]:
    """Return the lines of a batch in the order of the requests, in chunks.

    Withdrawals to a bank that has been merged into another since are left out: see `left_out_of`.
    """
    template, last = LAYOUTS[layout], 0
    sent = batch.withdrawals.select_related("payee").order_by("pk")
    rows = sent.filter(status=Withdrawal.Status.APPROVED)
    rows = rows.exclude(payee__bank__in=merged_codes())
    day = f"{timezone.localtime(batch.made_at):%d/%m/%Y}"
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK]):
        yield [template.line(_fields(withdrawal) | {"day": day}) for withdrawal in chunk]
        last = chunk[-1].pk


def left_out_of(batch: PayoutBatch) -> int:
    """Return how many unanswered withdrawals of a batch no bank would pay: their bank was merged.

    Staff note each as failed, which returns the money; the player registers the new IFSC.
    """
    return batch.withdrawals.filter(
        status=Withdrawal.Status.APPROVED, payee__bank__in=merged_codes()
    ).count()


def _fields(withdrawal: Withdrawal) -> dict[str, str]:
    payee = open_payee(withdrawal.payee)
    return {
        "reference": str(withdrawal.public_id),
        "short_reference": withdrawal.short_reference,
        "payee_name": payee.name,
        "bank_name": _as_bank_prints(payee.name),
        "bank_account": payee.bank_account,
        "ifsc": payee.ifsc,
        "amount": str(withdrawal.payout.amount),
        "currency": withdrawal.currency,
    }


def _as_bank_prints(name: str) -> str:
    """Return a name in the letters and spaces that banks take."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    letters = "".join(one if one.isalnum() else " " for one in plain)
    return " ".join(letters.split())[:NAME_MAX]
