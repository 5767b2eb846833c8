"""The report that compares a bank statement with payouts and settlements."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from decimal import Decimal
from typing import TypedDict
from uuid import UUID

from moneyed import Money

from finance.matching.bank_models import BankLine, BankStatement
from finance.matching.matches import OUTCOMES, Elsewhere, Match, matches
from finance.matching.statement_lines import StatementLine
from finance.reports.frame.report import Question, Report, Totals, Whole
from wallet.ledger.money import as_money, minor_units


class BankReconciliationRow(TypedDict):
    """A line of the statement with its payout or settlement; one of the two may be missing.

    `theirs` is the statement's amount, `ours` the expected amount; debits are negative. `outcome`
    is `matched`, `amount differs`, `missing ours` (debit without a payout), `credit` (credit
    without a settlement or payout), `missing theirs` (payout or settlement without a line),
    `noted as refused` (debit of a failed payout), `came back` (credit of a payout that has not
    failed) or `paid twice`.
    """

    outcome: str
    line: int | None
    day: date | None
    currency: str
    theirs_minor: int | None
    ours_minor: int | None
    theirs: Decimal | None
    ours: Decimal | None
    withdrawal: UUID | None
    settlement: str | None
    status: str | None
    text: str | None


def statement_lines(statement: BankStatement) -> list[StatementLine]:
    """Return the stored lines of a statement."""
    return [_as_read(one, statement.currency) for one in statement.lines.order_by("number")]


def _as_read(one: BankLine, currency: str) -> StatementLine:
    amount = as_money(one.amount_minor, currency).amount
    return StatementLine(one.number, one.day, amount, currency, one.text)


def elsewhere(statement: BankStatement) -> Elsewhere:
    """Return a function that finds lines of other statements outside this one's days."""

    def lines_of(amounts_minor: Collection[int]) -> list[StatementLine]:
        others = BankLine.objects.filter(
            statement__currency=statement.currency, amount_minor__in=amounts_minor
        ).exclude(day__range=(statement.first_day, statement.last_day))
        return [_as_read(one, statement.currency) for one in others.order_by("day", "pk")]

    return lines_of


def rows(question: Question) -> list[BankReconciliationRow]:
    """Return a row for each line, then for payouts and settlements without one."""
    statement = BankStatement.objects.get(sha256=question.file)
    period = question.period
    within = [
        line
        for line in statement_lines(statement)
        if line.day <= period.last and (period.first is None or line.day >= period.first)
    ]
    return [_row(match) for match in matches(within, elsewhere(statement))] if within else []


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


def _row(match: Match) -> BankReconciliationRow:
    line, ours = match.line, match.ours
    return {
        "outcome": match.outcome,
        "line": line.number if line else None,
        "day": line.day if line else None,
        "currency": match.currency,
        "theirs_minor": minor_units(Money(line.amount, line.currency)) if line else None,
        "ours_minor": None if ours is None else minor_units(Money(ours, match.currency)),
        "theirs": line.amount if line else None,
        "ours": ours,
        "withdrawal": match.withdrawal.public_id if match.withdrawal else None,
        "settlement": match.settlement.reference if match.settlement else None,
        "status": match.status or None,
        "text": line.text if line else None,
    }


BANK_RECONCILIATION = Report(
    "bank-reconciliation",
    "Bank reconciliation",
    1,
    BankReconciliationRow,
    Whole(rows),
    totals,
    any_zone=False,
    has_late_entries=True,  # A line matches when its settlement is booked, however late.
    is_file=lambda sha256: BankStatement.objects.filter(sha256=sha256).exists(),
)
