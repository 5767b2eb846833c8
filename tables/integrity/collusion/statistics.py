"""How far two players' play together is from chance, from counts alone.

Each figure compares what a player did with one other player to what was to be expected: from their
own play without that player, and from the house's base rate, which counts as `PRIOR` further cases.
So somebody who drops often drops often with everybody, and is not accused of it; and somebody with
no other play is held to the house, and hardly ever found.

Every figure is given in standard deviations. A pair is found where a figure is so far out that
among all pairs of the span hardly any would be by chance (`threshold`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final

# How many cases the house's base rate is worth beside a player's own.
PRIOR: Final = 20.0
# How many pairs may be found by chance alone in one span, on average: one in five spans. Two people
# look at each finding.
FALSE_FINDINGS: Final = 0.2
# Figures are counted in steps of this size, and all that are larger than the largest together.
STEP: Final = 0.02
LARGEST: Final = 10.0
MEDIAN_OF_NORMAL: Final = NormalDist().inv_cdf(0.75)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many: drops of deals, takes of discards."""

    hits: float
    cases: float

    @property
    def rate(self) -> float:
        return self.hits / self.cases if self.cases else 0.0

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.cases + other.cases)

    def __sub__(self, other: Share) -> Share:
        return Share(self.hits - other.hits, self.cases - other.cases)


def with_base_rate(own: Share, house: Share, prior: float = PRIOR) -> Share:
    """Return a player's own share with the house's rate counted as further cases.

    >>> with_base_rate(Share(10, 20), Share(200, 1000))
    Share(hits=14.0, cases=40.0)
    """
    return Share(own.hits + prior * house.rate, own.cases + prior)


def share_surprise(seen: Share, usual: Share) -> float:
    """Return how far one share is above another, in standard deviations; below is negative.

    It is the signed root of twice the logarithm of a likelihood ratio: how much likelier both are
    with a rate each than with one rate for both. Unlike a plain z it does not exaggerate for small
    counts, and a usual rate known from few cases weighs little.

    >>> round(share_surprise(Share(30, 60), Share(100, 500)), 2)
    4.83
    >>> round(share_surprise(Share(3, 6), Share(4, 20)), 2)
    1.4
    >>> round(share_surprise(Share(0, 60), Share(100, 500)), 2)
    -5.01
    >>> share_surprise(Share(0, 0), Share(100, 500))
    0.0
    """
    if not seen.cases or not usual.cases:
        return 0.0
    both = (seen + usual).rate
    gain = sum(
        part * math.log(part / cases / rate)
        for share in (seen, usual)
        for cases in [share.cases]
        for part, rate in ((share.hits, both), (share.cases - share.hits, 1 - both))
        if part > 0 and rate > 0
    )
    return math.copysign(math.sqrt(max(0.0, 2 * gain)), seen.rate - usual.rate)


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of points over so many deals, and the sum of their squares where it is known."""

    total: float
    deals: float
    squares: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.deals if self.deals else 0.0

    @property
    def variance(self) -> float:
        """The variance of one deal's points.

        >>> Sum(total=100, deals=2, squares=80**2 + 20**2).variance
        900.0
        """
        return max(0.0, self.squares / self.deals - self.mean**2) if self.deals else 0.0


def usual_points(own: Sum, house: Sum) -> float:
    """Return the points a player usually loses in a deal, the house's counted as further ones.

    >>> usual_points(Sum(800, 20), Sum(30_000, 1_000))
    35.0
    """
    return (own.total + PRIOR * house.mean) / (own.deals + PRIOR)


def sum_surprise(expected: Iterable[tuple[Sum, Sum, Sum]]) -> float:
    """Return how far the points lost are above what is usual, in standard deviations.

    Each part is what was seen, the player's own other deals, and the house's deals, at tables of
    one size. The house says how much the points of one deal vary; that the usual mean is itself
    known from few deals only makes the variance greater.

    >>> house = Sum(total=30_000, deals=1_000, squares=30_000 * 30 + 400 * 1_000)
    >>> round(sum_surprise([(Sum(1_600, 25), Sum(3_000, 100), house)]), 2)
    7.73
    """
    above = variance = 0.0
    for seen, own, house in expected:
        above += seen.total - seen.deals * usual_points(own, house)
        variance += house.variance * seen.deals * (1 + seen.deals / (own.deals + PRIOR))
    return above / math.sqrt(variance) if variance else 0.0


def fed_usually(giver: Share, taker: Share, house: Share) -> Share:
    """Return how often a discard of one is usually taken by the other, as a share.

    The giver's discards are taken so often by others, the taker takes so often from others; the
    house's rate is what both are measured by.

    >>> fed_usually(Share(30, 100), Share(30, 100), Share(200, 1000)).rate > 0.3
    True
    """
    gives, takes = with_base_rate(giver, house), with_base_rate(taker, house)
    if not house.rate:
        return Share(0.0, PRIOR)
    rate = min(0.99, gives.rate * takes.rate / house.rate)
    cases = 1 / (1 / gives.cases + 1 / takes.cases)
    return Share(rate * cases, cases)


@dataclass(slots=True)
class Spread:
    """How widely the figures of all pairs spread: counts of them by size, and nothing else is kept.

    Figures that were standard deviations of chance alone would have a width of 1. Deals of one
    evening, moods and styles make it more, and figures are divided by it. It is taken from the
    median, which some colluding pairs hardly move.

    >>> spread = Spread()
    >>> for z in (-3.0, -1.349, 0.2, 1.349, 9.0):
    ...     spread.add(z)
    >>> round(spread.width, 2)
    1.99
    """

    number: int = 0
    _sizes: Counter[int] = field(default_factory=Counter, repr=False)

    def add(self, z: float) -> None:
        self.number += 1
        self._sizes[round(min(abs(z), LARGEST) / STEP)] += 1

    @property
    def width(self) -> float:
        """What the median size is of a normal one's, 1 at least."""
        passed = 0
        for size in sorted(self._sizes):
            passed += self._sizes[size]
            if 2 * passed >= self.number:
                return max(1.0, size * STEP / MEDIAN_OF_NORMAL)
        return 1.0


def of_both(first: float, second: float) -> float:
    """Return how far out two independent figures are together, of the two directions of a pair.

    >>> round(of_both(3.0, 3.0), 2)
    4.24
    """
    return (first + second) / math.sqrt(2)


def threshold(tests: int) -> float:
    """Return from how many standard deviations on a figure is no chance among so many.

    >>> [round(threshold(tests), 2) for tests in (1, 1_000, 1_000_000)]
    [0.84, 3.54, 5.07]
    """
    return -NormalDist().inv_cdf(FALSE_FINDINGS / max(1, tests))


def groups(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return for each player of these pairs the least key of those they are linked with.

    >>> groups([(5, 7), (2, 9), (7, 9), (11, 12)])
    {5: 2, 7: 2, 2: 2, 9: 2, 11: 11, 12: 11}
    """
    lead: dict[int, int] = {}

    def root(player: int) -> int:
        lead.setdefault(player, player)
        while lead[player] != player:
            player = lead[player]
        return player

    for one, other in pairs:
        first, second = sorted((root(one), root(other)))
        lead[second] = first
    return {player: root(player) for player in list(lead)}
