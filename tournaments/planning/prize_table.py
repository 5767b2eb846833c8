"""Prizes by place in minor units: basis points by number of entrants, and tickets (RB 10.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import rummy
from tournaments.exceptions import BadPrizes

WHOLE_BPS: Final = 10_000

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
    if not rows or sum(rows) != WHOLE_BPS or min(rows) <= 0:
        raise BadPrizes("prizes must be above 0 and sum to 100 percent")
    if list(rows) != sorted(rows, reverse=True):
        raise BadPrizes("a prize must not be larger than that of a better place")


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
