"""Adding up the tables of suits (`rows`), distributing jokers and lives."""

# ruff: noqa: PLR1730, FURB136 - in the innermost loops a comparison costs half of what `min` does.

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rummy.solver.rows import BOTH, FREE, LIFE, NEVER, PURE, Table

PARTS: Final = (
    ((FREE, FREE),),
    ((LIFE, FREE), (FREE, LIFE)),
    ((PURE, FREE), (FREE, PURE)),
    ((BOTH, FREE), (FREE, BOTH), (PURE, LIFE), (LIFE, PURE)),
)
"""The ways in which two suits together can meet a demand."""


def free_cost(tables: Sequence[Table], jokers: int) -> int:
    """Return the cost of four suits without a demand; an upper bound from three jokers on.

    >>> from rummy.solver.rows import RANKS, Shape
    >>> shape = Shape(3, 3, None, None, 1, False)
    >>> tables = [shape.table(row, 2, RANKS) for row in (0b010101, 0b0101 << 10, 0, 0)]
    >>> free_cost(tables, 0), free_cost(tables, 1)  # A 2 3, and 6 7 that a joker would join.
    (13, 0)
    """
    a, b, c, d = tables
    bare = a[0] + b[0] + c[0] + d[0]
    if not jokers:
        return bare
    if jokers == 1:
        return bare - max(a[0] - a[1], b[0] - b[1], c[0] - c[1], d[0] - d[1])
    if jokers == 2:
        first = second = two = 0
        for table in tables:
            gain = table[0] - table[1]
            if gain > first:
                first, second = gain, first
            elif gain > second:
                second = gain
            if table[0] - table[2] > two:
                two = table[0] - table[2]
        return bare - (two if two > first + second else first + second)
    floor = a[jokers] + b[jokers] + c[jokers] + d[jokers]
    by_rate = bare - jokers * max(a[-1], b[-1], c[-1], d[-1])
    return floor if floor > by_rate else by_rate


def least_of(tables: Sequence[Table], jokers: int, span: int, least: int) -> int:
    """Return the least points of suits that together have both lives, if less than `least`.

    >>> from rummy.solver.rows import RANKS, Shape
    >>> shape = Shape(3, 3, None, None, 1, False)
    >>> tables = [shape.table(row, 2, RANKS) for row in (0b010101, 0b0101 << 10, 0, 0)]
    >>> least_of(tables, 1, 3, NEVER), least_of(tables, 0, 3, NEVER)
    (0, 255)
    """
    if not jokers:
        return _least_bare(tables, span, least)
    if jokers == 1:
        return _least_with_one(tables, span, least)
    held = [table for table in tables if table[4 * span] or table[2 * span + jokers] < NEVER]
    floor = sum([table[jokers] for table in held])
    for place, table in enumerate(held):
        if floor - table[jokers] + table[PURE * span + jokers] < least:
            free, life = _free_and_life(held[:place] + held[place + 1 :], jokers, span)
            for mine in range(jokers + 1):
                apart = table[PURE * span + mine] + life[jokers - mine]
                together = table[BOTH * span + mine] + free[jokers - mine]
                if together < apart:
                    apart = together
                if apart < least:
                    least = apart
    return least


def _least_bare(tables: Sequence[Table], span: int, least: int) -> int:
    """Return `least_of` for a hand without jokers."""
    free, life, pure, both = 0, NEVER, NEVER, NEVER
    for table in tables:
        bare = table[0]
        own_life, own_pure, own_both = table[span], table[2 * span], table[3 * span]
        free += bare
        own_life -= bare
        if own_pure < NEVER:
            own_pure -= bare
            own_both -= bare
            if own_both < both:
                both = own_both
            if own_pure + life < both:
                both = own_pure + life
            if own_life + pure < both:
                both = own_life + pure
            if own_pure < pure:
                pure = own_pure
        elif own_life + pure < both:
            both = own_life + pure
        if own_life < life:
            life = own_life
    return free + both if free + both < least else least


def _least_with_one(tables: Sequence[Table], span: int, least: int) -> int:
    """Return `least_of` for a hand with one joker, unrolled for speed."""
    floor = sum([table[1] for table in tables])
    for place, table in enumerate(tables):
        pure_1 = table[2 * span + 1]
        if floor - table[1] + pure_1 < least:
            free = free_1 = 0
            life = life_1 = NEVER
            for other in (*tables[:place], *tables[place + 1 :]):
                here, here_1, alive, alive_1 = other[0], other[1], other[span], other[span + 1]
                life_1 = min(life_1 + here, life + here_1, free_1 + alive, free + alive_1)
                life = life + here if life + here < free + alive else free + alive
                free_1 = free_1 + here if free_1 + here < free + here_1 else free + here_1
                free += here
            pure, both, both_1 = table[2 * span], table[3 * span], table[3 * span + 1]
            least = min(least, pure + life_1, pure_1 + life, both + free_1, both_1 + free)
    return least


def _free_and_life(
    tables: Sequence[Table], jokers: int, span: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Return the joint cost of suits without a demand and with one life."""
    if not tables:
        return bytes(span), bytes([NEVER]) * span
    free: Sequence[int] = tables[0][:span]
    life: Sequence[int] = tables[0][span : 2 * span]
    for table in tables[1:]:
        frees, lifes = [], []
        for have in range(jokers + 1):
            least = alive = NEVER
            for mine in range(have + 1):
                here, there = table[mine], free[have - mine]
                if here + there < least:
                    least = here + there
                if here + life[have - mine] < alive:
                    alive = here + life[have - mine]
                if table[span + mine] + there < alive:
                    alive = table[span + mine] + there
            frees.append(least)
            lifes.append(alive)
        free, life = frees, lifes
    return free, life


def share(
    tables: Sequence[Table], demand: int, jokers: int, points: int, span: int
) -> list[tuple[int, int]] | None:
    """Return the demand and jokers of each suit that give these points, or None.

    >>> from rummy.solver.rows import RANKS, Shape
    >>> shape = Shape(3, 3, None, None, 1, False)
    >>> tables = [shape.table(row, 2, RANKS) for row in (0b010101, 0b0101 << 10, 0, 0)]
    >>> share(tables[:2], BOTH, 1, 0, 3)  # The first suit is pure, the second takes the joker.
    [(2, 0), (1, 1)]
    """
    if demand == FREE and not jokers:
        free = [(FREE, 0)] * len(tables)
        return free if points == sum([table[0] for table in tables]) else None
    first, rest = tables[0], tables[1:]
    if not rest:
        return [(demand, jokers)] if first[demand * span + jokers] == points else None
    for own, others in PARTS[demand]:
        for spent in range(jokers + 1):
            left, unspent = points - first[own * span + spent], jokers - spent
            if len(rest) == 1:
                if left == rest[0][others * span + unspent]:
                    return [(own, spent), (others, unspent)]
            elif left >= 0 and left >= sum([table[unspent] for table in rest]):
                shares = share(rest, others, unspent, left, span)
                if shares is not None:
                    return [(own, spent), *shares]
    return None
