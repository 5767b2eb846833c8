"""A preview of a template's prizes for several numbers of entries, to the minor unit (RB 10.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import rummy
from tournaments.planning.template_models import TournamentTemplate
from tournaments.prizes.prize_pool import rows_due
from wallet.ledger.amounts import Amount
from wallet.ledger.money import percent


@dataclass(frozen=True, slots=True)
class Column:
    """The pool and the prizes for one number of entries; `total` is the sum of the prizes."""

    entrants: int
    paid_in: Amount
    fees: Amount
    overlay: Amount
    pool: Amount
    total: Amount
    # By place: the share in percent, the amount, and whether it is a ticket.
    prizes: Sequence[tuple[str, Amount, bool]]
    # The places that got one more minor unit than their share rounded down.
    odd_to: Sequence[int]


def prize_preview(template: TournamentTemplate, numbers: Sequence[int]) -> dict[str, Any]:
    """Return `columns`, one for each number of entries, and `rows`, their prizes by place."""
    columns = [_column(template, entrants) for entrants in numbers]
    by_place = zip_longest(*(column.prizes for column in columns))
    return {"columns": columns, "rows": list(enumerate(by_place, start=1))}


def _column(template: TournamentTemplate, entrants: int) -> Column:
    paid_in = entrants * template.entry_minor
    fees = entrants * rummy.pool.rake(template.entry_minor, template.rake_bps)
    pool = max(template.guarantee_minor, paid_in - fees)
    due = rows_due(template, pool, finishers=entrants)
    whole = sum(bps for bps, _, _ in due) or 1
    odd_to = [
        place
        for place, (bps, minor, is_ticket) in enumerate(due, start=1)
        if bps and minor > pool * bps // whole
    ]

    def amount(minor: int) -> Amount:
        return Amount.of(minor, template.currency)

    return Column(
        entrants=entrants,
        paid_in=amount(paid_in),
        fees=amount(fees),
        overlay=amount(pool - paid_in + fees),
        pool=amount(pool),
        total=amount(sum(minor for _, minor, _ in due)),
        prizes=[(percent(bps), amount(minor), is_ticket) for bps, minor, is_ticket in due],
        odd_to=odd_to,
    )
