"""Reconstruct the groups of a value in a table of `rows`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rummy.solver.rows import BOTH, DIGIT, FREE, LIFE, POINTS, PURE, RANKS, Laid, Run, Shape, Table

UNWOUND_KEPT: Final = 20_000


Figure = tuple[int, int, int, int, int]
"""An entry of a table: row, the table's most jokers, wild rank, demand, jokers."""


def runs_behind(shape: Shape, figure: Figure) -> tuple[Laid, ...]:
    """Return the runs of a table's value; cached, because rows repeat.

    >>> shape = Shape(3, 3, None, None, 1, False)
    >>> runs_behind(shape, (0b010101, 2, RANKS, PURE, 0))  # A 2 3
    ((True, 21, 0),)
    """
    row, level, wild, demand, jokers = figure
    if not row >> 2 * wild & DIGIT:
        wild = RANKS
    key = row | wild << 26 | level << 30 | demand << 34 | jokers << 36
    runs = shape.unwound.get(key)
    if runs is None:
        runs = tuple(_walk_back(shape, figure))
        if len(shape.unwound) >= UNWOUND_KEPT:
            shape.unwound.clear()
        shape.unwound[key] = runs
    return runs


def _walk_back(shape: Shape, figure: Figure) -> list[Laid]:
    row, level, wild, demand, jokers = figure
    span, digit = level + 1, DIGIT << 2 * wild
    table = shape.table(row, level, wild)
    known, plain = shape.tables, RANKS << 26 | level << 30
    laid: list[Laid] = []
    while row:
        place = demand * span + jokers
        points = table[place]
        if demand == FREE and points == table[4 * span]:
            break  # All cards left in the row are left over.
        low = (row & -row).bit_length() - 1 >> 1
        apart = row & digit and shape.sets_wilds_apart
        if apart:
            left, cost = row & ~digit, 0  # The row's wild cards can be jokers.
        else:
            left, cost = row - (1 << 2 * low), 0 if low == wild else POINTS[low]
        smaller = (not left & digit and known.get(left | plain)) or shape.table(left, level, wild)
        if smaller[place] + cost == points:
            row, table = left, smaller
            continue
        runs: Sequence[Run] = (
            shape.wild_runs(row, wild)
            if apart
            else shape.runs_of(row, low, wild if row & digit else RANKS)
        )
        run, demand, table = _laid(shape, runs, (row, level, wild, demand, jokers), points)
        row, jokers = row - run.taken, jokers - run.jokers
        laid.append((run.is_sequence, run.taken, run.jokers - (run.taken >> 2 * wild & DIGIT)))
    return laid


def _laid(shape: Shape, runs: Sequence[Run], figure: Figure, points: int) -> tuple[Run, int, Table]:
    """Return the run that gives the points, the remaining demand, and the next table."""
    row, level, wild, demand, jokers = figure
    known, digit, plain = shape.tables, DIGIT << 2 * wild, RANKS << 26 | level << 30
    for run in runs:
        taken, spent, is_pure, is_life, _ = run
        if spent <= jokers:
            rest = row - taken
            after = None if rest & digit else known.get(rest | plain)
            after = after or shape.table(rest, level, wild)
            if after[jokers - spent] <= points:  # A card left over never costs less with a demand.
                for wanted in AFTER[is_life, is_pure][demand]:
                    if after[wanted * (level + 1) + jokers - spent] == points:
                        return run, wanted, after
    raise AssertionError("no run gives the value in the table")


def _demands_after(is_life: bool, is_pure: bool, demand: int) -> tuple[int, ...]:
    after = [demand]
    if is_life and demand in {LIFE, BOTH}:
        after.append(FREE if demand == LIFE else PURE)
    if is_pure and demand in {PURE, BOTH}:
        after.append(FREE if demand == PURE else LIFE)
    return tuple(after)


AFTER: Final = {
    (is_life, is_pure): tuple(_demands_after(is_life, is_pure, demand) for demand in range(4))
    for is_life in (False, True)
    for is_pure in (False, True)
}
"""Return the demands that can remain after a run."""
