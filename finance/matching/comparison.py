"""What the admin pages of uploaded files show: sums, and the rows that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from finance.matching.gateways.report import MATCHED, OUTCOMES, SUMS, summed, walk
from finance.matching.matches import CREDIT
from finance.matching.models import BankStatement, GatewayFile
from finance.matching.queries import breaks_with_others
from finance.matching.report import is_open, row_key, rows_of
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question, Row
from wallet.ledger.money import as_money, as_text

ROWS_SHOWN: Final = 200
# The lines that a page of a period matches at most.
MATCHED_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Sum:
    """A file's sums in one currency: rows by outcome, both sides, and their difference."""

    currency: str
    counts: tuple[int, ...]
    amounts: tuple[str, ...]
    agrees: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    sums: list[Sum]
    # The first rows that are not matched; `more` is the number of the others.
    differing: list[Row]
    more: int


def compare_with_ledger(file: GatewayFile) -> Comparison:
    """Compare a file with the present ledger, reading each line once."""
    question = Question.asked(Period.asked(None, None, SITE_ZONE), file=file.sha256)
    differing: list[Row] = []
    totals = summed(_noting(walk(question), differing))
    counts = OUTCOMES.values()
    sums = [
        Sum(
            currency=currency,
            counts=tuple(of[name] for name in counts),
            amounts=tuple(as_text(as_money(of[name], currency)) for name in SUMS),
            agrees=of[OUTCOMES[MATCHED]] == sum(of[name] for name in counts),
        )
        for currency, of in totals.items()
    ]
    more = sum(sum(one.counts) - one.counts[0] for one in sums) - len(differing)
    return Comparison(sums, differing, more)


def _noting(rows: Iterator[Row], differing: list[Row]) -> Iterator[Row]:
    for row in rows:
        if row["outcome"] != MATCHED and len(differing) < ROWS_SHOWN:
            differing.append(row)
        yield row


@dataclass(frozen=True, slots=True)
class BankComparison:
    """A statement's rows by outcome; `rows` begin with those to examine, `more` are left out."""

    counts: list[tuple[str, int]]
    unmatched: int
    # The number of rows that are neither matched nor explained.
    open: int
    # Rows with their keys; None for those that are not open.
    rows: list[tuple[str | None, Row]]
    more: int
    # Sentences about balances that do not continue other statements.
    breaks: list[str]
    # The other statements of the same file.
    others: list[BankStatement]


def compare_bank(statement: BankStatement) -> BankComparison:
    """Match a statement with the present payouts and settlements, reading each line once."""
    counts: Counter[str] = Counter()
    differing: list[tuple[str | None, Row]] = []
    credited: list[tuple[str | None, Row]] = []
    settled: list[tuple[str | None, Row]] = []
    still_open = 0
    for row in rows_of(statement):
        counts[row["outcome"]] += 1
        still_open += is_open(row)
        unsettled = credited if row["outcome"] == CREDIT else differing
        shown = unsettled if is_open(row) else settled
        if len(shown) < ROWS_SHOWN:
            shown.append((row_key(row) if is_open(row) else None, row))
    same_file = BankStatement.objects.filter(sha256=statement.sha256).order_by("number")
    return BankComparison(
        counts=counts.most_common(),
        unmatched=counts.total() - counts[MATCHED],
        open=still_open,
        rows=[*differing, *credited, *settled],
        more=counts.total() - len(differing) - len(credited) - len(settled),
        breaks=list(breaks_with_others(statement)),
        others=list(same_file.exclude(pk=statement.pk)),
    )


def open_rows(first: date, last: date) -> list[tuple[BankStatement, int | None]]:
    """Return the statements of a period with the number of their open rows of these days.

    The number is None if the statements have more than `MATCHED_AT_ONCE` lines.
    """
    found = BankStatement.objects.filter(first_day__lte=last, last_day__gte=first)
    statements = list(found.order_by("account", "first_day", "pk"))
    if sum(one.line_count for one in statements) > MATCHED_AT_ONCE:
        return [(one, None) for one in statements]
    return [(one, sum(map(is_open, rows_of(one, first, last)))) for one in statements]
