"""The payout file: a line for each withdrawal of a batch that the bank has not answered yet.

Until an answer the file is identical each time it is made. Paid and refused withdrawals are left
out, so a file submitted again pays nothing twice.

A layout maps the bank's column headings to our fields.
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
    """The columns of a kind of file; a value that begins with `=` is constant, as `"=NEFT"`."""

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

    Withdrawals to a bank that has since been merged are left out: see `left_out_of`.
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
    """Return the number of unanswered withdrawals of a batch to banks that were merged.

    Staff record each as failed, which returns the money; the player registers the new IFSC.
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
    """Return a name in the ASCII letters, digits and spaces that banks accept."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    letters = "".join(one if one.isalnum() else " " for one in plain)
    return " ".join(letters.split())[:NAME_MAX]
