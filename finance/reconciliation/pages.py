"""A gateway's file against the ledger as people read it: the sums, and what does not agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from finance.reconciliation.models import GatewayFile
from finance.reconciliation.report import MATCHED, OUTCOMES, SUMS, summed, walk
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question, Row
from wallet.ledger.money import as_money, as_text

ROWS_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Sum:
    """What a file came to in one currency: lines by outcome, both sides, their difference."""

    currency: str
    counts: tuple[int, ...]
    amounts: tuple[str, ...]
    agrees: bool


@dataclass(frozen=True, slots=True)
class Held:
    sums: list[Sum]
    # Lines on which the two do not agree, the first of them; and how many more there are.
    differing: list[Row]
    more: int


def held_against_ledger(file: GatewayFile) -> Held:
    """Read a file against the ledger as it is now, each line once."""
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
    return Held(sums, differing, more)


def _noting(rows: Iterator[Row], differing: list[Row]) -> Iterator[Row]:
    for row in rows:
        if row["outcome"] != MATCHED and len(differing) < ROWS_SHOWN:
            differing.append(row)
        yield row
