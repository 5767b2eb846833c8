"""The bank's answer to a payout file: a CSV line for each payment made or refused.

It may be the payout file with two columns added; other columns are ignored. References are those
of the file, or their sixteen-character short form.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Final

from wallet.exceptions import BankAnswerUnreadable
from wallet.withdrawals.models import PayoutBatch, Withdrawal

COLUMNS: Final = ("reference", "outcome", "remark")
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
    if not rows or not set(COLUMNS) <= set(rows[0]):
        raise BankAnswerUnreadable(f"Line 1 must name the columns {', '.join(COLUMNS)}.")
    results = [_result(number, row, sent) for number, row in enumerate(rows, start=2)]
    if len({result.withdrawal_id for result in results}) < len(results):
        raise BankAnswerUnreadable("A withdrawal can have only one line.")
    return results


def _result(line: int, row: dict[str, str | None], sent: dict[str, int]) -> Result:
    reference, outcome, remark = ((row[name] or "").strip() for name in COLUMNS)
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
