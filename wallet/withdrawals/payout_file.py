"""The payout file: a line for each withdrawal of a batch that the bank has not answered yet.

Until an answer the file is identical each time it is made. Paid and refused withdrawals are left
out, so a file submitted again pays nothing twice.

A layout maps the bank's column headings to our fields.

The bank's answer has a line for each payment made or refused. It may be the payout file with two
columns added; other columns are ignored. References are those of the file, or their short form of
sixteen characters.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils import timezone

from wallet.exceptions import BankAnswerUnreadable
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


ANSWER_COLUMNS: Final = ("reference", "outcome", "remark")
OUTCOMES: Final = (Withdrawal.Status.PAID, Withdrawal.Status.FAILED)
REMARK_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one withdrawal: paid with the bank's reference, or failed with a reason."""

    line: int
    withdrawal_id: int
    outcome: Withdrawal.Status
    remark: str


def read_answer(batch: PayoutBatch, body: bytes) -> list[Result]:
    """Return the results in a file for a batch; one unreadable line refuses the whole file."""
    sent = {}
    for withdrawal in batch.withdrawals.only("pk", "public_id"):
        sent[withdrawal.short_reference] = sent[withdrawal.public_id.hex.upper()] = withdrawal.pk
    try:
        rows = list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BankAnswerUnreadable(f"The file is not CSV in UTF-8: {error}.") from error
    if not rows or not set(ANSWER_COLUMNS) <= set(rows[0]):
        raise BankAnswerUnreadable(f"Line 1 must name the columns {', '.join(COLUMNS)}.")
    results = [_result(number, row, sent) for number, row in enumerate(rows, start=2)]
    if len({result.withdrawal_id for result in results}) < len(results):
        raise BankAnswerUnreadable("A withdrawal can have only one line.")
    return results


def _result(line: int, row: dict[str, str | None], sent: dict[str, int]) -> Result:
    reference, outcome, remark = ((row[name] or "").strip() for name in ANSWER_COLUMNS)
    try:
        withdrawal_id = sent[reference.replace("-", "").upper()]
    except KeyError:
        raise BankAnswerUnreadable(f"Line {line}: unknown withdrawal.") from None
    if outcome not in OUTCOMES:
        raise BankAnswerUnreadable(f"Line {line}: the outcome must be paid or failed.")
    if not 0 < len(remark) <= REMARK_MAX or not remark.isprintable():
        raise BankAnswerUnreadable(
            f"Line {line}: the remark must be the bank's reference or reason, "
            f"of at most {REMARK_MAX} characters."
        )
    return Result(line, withdrawal_id, Withdrawal.Status(outcome), remark)
