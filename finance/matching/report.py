"""The report that compares a bank's file with payouts and settlements."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import TypedDict
from uuid import UUID

from finance.matching.matches import MATCHED, OUTCOMES, Match, matches
from finance.matching.models import BankStatement
from finance.matching.queries import bank_rows, naming
from finance.reports.frame.report import Question, Report, Totals, Whole
from wallet.ledger.money import as_decimal


class BankReconciliationRow(TypedDict):
    """A line of the file with its payout or settlement; one of the two may be missing.

    `account` is the end of the account's number, if the file names it. `day` is the booking day,
    `valued_on` the value day. `theirs` is the statement's amount, `ours` the expected amount;
    debits are negative. `outcome` is `matched`, `amount differs`, `missing ours` (debit without a
    payout), `credit` (credit without a settlement or payout), `missing theirs` (payout or
    settlement without a line), `noted as refused` (debit of a failed payout), `came back` (credit
    of a payout that has not failed) or `paid twice`. `explanation` is the reason that staff gave
    for a row that is not matched, and who gave it.
    """

    outcome: str
    account: str
    line: int | None
    day: date | None
    valued_on: date | None
    currency: str
    theirs_minor: int | None
    ours_minor: int | None
    theirs: Decimal | None
    ours: Decimal | None
    withdrawal: UUID | None
    settlement: str | None
    status: str | None
    text: str | None
    explanation: str | None


def rows(question: Question) -> Iterator[BankReconciliationRow]:
    """Yield a row for each line of each statement, then for what is missing in it."""
    for statement in BankStatement.objects.filter(sha256=question.file).order_by("number"):
        yield from rows_of(statement, question.period.first, question.period.last)


def rows_of(
    statement: BankStatement, first: date | None = None, last: date | None = None
) -> Iterator[BankReconciliationRow]:
    """Yield the rows of one statement, from one day to another."""
    first = max(first or statement.first_day, statement.first_day)
    last = min(last or statement.last_day, statement.last_day)
    if first > last:
        return
    found = matches(
        bank_rows(statement.lines.filter(day__range=(first, last)).order_by("number")),
        naming(statement),
        currency=statement.currency,
        statement=statement.pk,
        days=(first, last),
    )
    given = statement.explanations.select_related("staff")
    explained = {one.row: str(one) for one in given}
    for match in found:
        row = _row(match, statement)
        row["explanation"] = explained.get(row_key(row)) if explained else None
        yield row


def row_key(row: BankReconciliationRow) -> str:
    """Return what identifies a row of a statement with its outcome, as "missing ours, line 3"."""
    about = row["withdrawal"] or row["settlement"]
    line = f"line {row['line']}" if row["line"] else None
    return ", ".join(str(part) for part in (row["outcome"], line, about) if part)


def is_open(row: BankReconciliationRow) -> bool:
    """Return whether a row is neither matched nor explained."""
    return row["outcome"] != MATCHED and row["explanation"] is None


def totals(question: Question) -> Totals:
    """Return the number of rows by outcome and the sums of both sides, by currency."""
    found: Totals = {}
    for row in rows(question):
        none = dict.fromkeys([*map(_column, OUTCOMES), "theirs_minor", "ours_minor"], 0)
        total = found.setdefault(row["currency"], none)
        total[_column(row["outcome"])] += 1
        total["theirs_minor"] += row["theirs_minor"] or 0
        total["ours_minor"] += row["ours_minor"] or 0
    return dict(sorted(found.items()))


def _column(outcome: str) -> str:
    return outcome.replace(" ", "_")


def _row(match: Match, statement: BankStatement) -> BankReconciliationRow:
    line, expected, currency = match.line, match.expected, statement.currency
    theirs = line.amount_minor if line else None
    ours = expected.amount_minor if expected else None
    is_payout = expected is not None and expected.kind == "payout"
    return {
        "outcome": match.outcome,
        "account": statement.account,
        "line": line.number if line else None,
        "day": line.day if line else None,
        "valued_on": line.valued_on if line else None,
        "currency": currency,
        "theirs_minor": theirs,
        "ours_minor": ours,
        "theirs": None if theirs is None else as_decimal(theirs, currency),
        "ours": None if ours is None else as_decimal(ours, currency),
        "withdrawal": UUID(expected.label) if expected and is_payout else None,
        "settlement": expected.label if expected and not is_payout else None,
        "status": expected.status if expected else None,
        "text": line.text if line else None,
        "explanation": None,
    }


BANK_RECONCILIATION = Report(
    "bank-reconciliation",
    "Bank reconciliation",
    BankReconciliationRow,
    Whole(rows),
    totals,
    any_zone=False,
    has_late_entries=True,  # A line matches when its settlement is booked, however late.
    is_file=lambda sha256: BankStatement.objects.filter(sha256=sha256).exists(),
)
