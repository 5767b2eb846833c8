"""Prizes by place in minor units: basis points by number of entrants, and tickets (RB 10.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby, pairwise
from typing import Final

from django.utils.translation import gettext as _

import rummy
from tournaments.exceptions import BadPrizes
from wallet.ledger.money import percent

WHOLE_BPS: Final = 10_000
PLACES_MAX: Final = 1_000
_LINE: Final = re.compile(
    r"((?P<first>[0-9]{1,4})(\s*[-–]\s*(?P<last>[0-9]{1,4}))?\s*:\s*)?"
    r"(?P<share>[0-9]{1,3}(\.[0-9]{1,2})?)\s*%?"
)

# The maximum of entrants, and the basis points of the pool by place.
DEFAULT_ROWS: Final[tuple[tuple[int, tuple[int, ...]], ...]] = (
    (20, (7500, 2500)),
    (30, (5000, 3000, 2000)),
    (50, (4000, 2400, 1600, 1200, 800)),
    (100, (3000, 2000, 1200, 925, 750, 625, 525, 425, 325, 225)),
)
# For more than 100 entrants.
LARGE_ROWS: Final = (
    2400,
    1500,
    1000,
    750,
    600,
    500,
    425,
    375,
    325,
    275,
    250,
    225,
    225,
    200,
    200,
    175,
    150,
    150,
    150,
    125,
)


def rows_for(entrants: int) -> tuple[int, ...]:
    """Return the default basis points by place for a number of entrants.

    >>> rows_for(20), len(rows_for(53)), len(rows_for(101))
    ((7500, 2500), 10, 20)
    """
    return next((rows for most, rows in DEFAULT_ROWS if entrants <= most), LARGE_ROWS)


def check_rows(rows: Sequence[int]) -> None:
    """Raise `BadPrizes` unless the rows sum to 100 percent and do not increase."""
    if not rows or min(rows) <= 0:
        raise BadPrizes(_("Each share must be above 0 percent."))
    if sum(rows) != WHOLE_BPS:
        total = {"total": percent(sum(rows))}
        raise BadPrizes(_("The shares sum to %(total)s percent, not to 100.") % total)
    for place, (better, worse) in enumerate(pairwise(rows), start=2):
        if worse > better:
            raise BadPrizes(
                _("The share of place %(n)s exceeds that of a better place.") % {"n": place}
            )


def rows_of_text(text: str) -> list[int]:
    """Return the basis points by place of an editor's text; raise `BadPrizes` for a bad line.

    A line has a place or a range of places, and the percent of each: places follow one another.
    Percents separated by commas are those of the next places.

    >>> rows_of_text("1: 50\\n2-4: 12.5\\n5: 12.50"), rows_of_text("50, 30, 20")
    ([5000, 1250, 1250, 1250, 1250], [5000, 3000, 2000])
    """
    rows: list[int] = []
    for part in filter(None, map(str.strip, re.split(r"[\n,;]", text))):
        found = _LINE.fullmatch(part)
        if found is None:
            raise BadPrizes(_("Write “%(part)s” like 3: 12.5 or 4-6: 5.") % {"part": part})
        place = len(rows) + 1
        first, last = int(found["first"] or place), int(found["last"] or found["first"] or place)
        if first != place or not first <= last <= PLACES_MAX:
            raise BadPrizes(
                _("In “%(part)s”: the next place is %(n)s.") % {"part": part, "n": place}
            )
        rows += [int(Decimal(found["share"]) * 100)] * (last - first + 1)
    return rows


def text_of_rows(rows: Sequence[int]) -> str:
    """Return the editor's text of basis points by place; equal shares are one line.

    >>> text_of_rows([5000, 1250, 1250, 1250, 1250])
    '1: 50\\n2-5: 12.5'
    """
    lines, place = [], 1
    for share, group in groupby(rows):
        last = place + len(list(group)) - 1
        lines.append(f"{place}{f'-{last}' if last > place else ''}: {percent(share)}")
        place = last + 1
    return "\n".join(lines)


def prize_list(pool: int, rows: Sequence[int], *, finishers: int) -> tuple[int, ...]:
    """Return the prize of each paid place in minor units; they sum to the pool.

    With fewer finishers than rows, the first rows share the whole pool in proportion.

    >>> prize_list(233730, rows_for(53), finishers=53)[:3]
    (70119, 46746, 28048)
    >>> prize_list(100, (5000, 3000, 2000), finishers=2)
    (63, 37)
    """
    check_rows(rows)
    if finishers < 1:
        raise BadPrizes("prizes need at least one finisher")
    return rummy.payouts.largest_remainder(pool, list(rows[:finishers]))


def ticket_rows(pool: int, value: int, *, finishers: int) -> list[tuple[int, bool]]:
    """Return a satellite's prizes by place: the amount, and whether it has a ticket of `value`.

    The remainder of the pool is a money prize of the next place; if all finishers get a ticket,
    the winner gets it in addition (RB 10.5).

    >>> ticket_rows(540, 200, finishers=6)
    [(200, True), (200, True), (140, False)]
    >>> ticket_rows(540, 200, finishers=2)
    [(340, True), (200, True)]
    """
    number = min(pool // value, finishers)
    rows, rest = [(value, True)] * number, pool - number * value
    if rest and number < finishers:
        rows.append((rest, False))
    elif rest:
        rows[0] = (value + rest, True)
    return rows


def shared_prizes(prizes: Sequence[int], tied: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return each entry's prize; tied entries share the prizes of their places equally.

    `tied` has groups of entries, best first. Within a group, which is in the order of the
    published draw, the first ones get the units that cannot be divided.

    >>> shared_prizes((100, 61, 20, 10), [["a"], ["b", "c"], ["d"]])
    {'a': 100, 'b': 41, 'c': 40, 'd': 10}
    """
    paid: dict[str, int] = {}
    place = 0
    for group in tied:
        covered = sum(prizes[place : place + len(group)])
        paid |= zip(group, rummy.payouts.equal_shares(covered, len(group)), strict=True)
        place += len(group)
    return paid
