"""Statistics on how unlikely two players' play together is by chance, from counts alone.

Each figure compares a player's conduct towards one other player with the expected one: their own
play without that player, and the base rate of all players, which counts as `PRIOR` further cases.
So players who drop often with everyone are not suspected for it, and players with no other play are
compared with the base rate, and rarely found.

Figures are in standard deviations. A pair is found if a figure is so extreme that among all pairs
of the span hardly any would reach it by chance (`threshold`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Final

# The weight of the base rate beside a player's own play, in cases.
PRIOR: Final = 20.0
# The average number of pairs found by chance alone in one span: one in five spans. Two people
# review each finding.
FALSE_FINDINGS: Final = 0.2
# Figures are counted in steps of this size; those above the largest step are counted together.
STEP: Final = 0.02
LARGEST: Final = 10.0
MEDIAN_OF_NORMAL: Final = NormalDist().inv_cdf(0.75)


@dataclass(frozen=True, slots=True)
class Share:
    """A number of hits in a number of cases: drops of deals, takes of discards."""

    hits: float
    cases: float

    @property
    def rate(self) -> float:
        return self.hits / self.cases if self.cases else 0.0

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.cases + other.cases)

    def __sub__(self, other: Share) -> Share:
        return Share(self.hits - other.hits, self.cases - other.cases)


def with_base_rate(own: Share, base: Share, prior: float = PRIOR) -> Share:
    """Return a player's own share with the base rate counted as further cases.

    >>> with_base_rate(Share(10, 20), Share(200, 1000))
    Share(hits=14.0, cases=40.0)
    """
    return Share(own.hits + prior * base.rate, own.cases + prior)


def share_surprise(seen: Share, usual: Share) -> float:
    """Return how far one share is above another, in standard deviations; below is negative.

    It is the signed root of twice the logarithm of a likelihood ratio: how much more likely both
    are with two rates than with a common one. Unlike a plain z it does not exaggerate for small
    counts, and a usual rate known from few cases has little weight.

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
    """A sum of points over a number of deals, and the sum of their squares if known."""

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


def usual_points(own: Sum, base: Sum) -> float:
    """Return the points a player usually loses in a deal, with the base rate as further deals.

    >>> usual_points(Sum(800, 20), Sum(30_000, 1_000))
    35.0
    """
    return (own.total + PRIOR * base.mean) / (own.deals + PRIOR)


def sum_surprise(expected: Iterable[tuple[Sum, Sum, Sum]]) -> float:
    """Return how far the points lost are above the usual ones, in standard deviations.

    Each part consists of the observed deals, the player's other deals, and all players' deals, at
    tables of one size. The variance of one deal is taken from all players; an uncertain usual mean
    adds to it.

    >>> base = Sum(total=30_000, deals=1_000, squares=30_000 * 30 + 400 * 1_000)
    >>> round(sum_surprise([(Sum(1_600, 25), Sum(3_000, 100), base)]), 2)
    7.73
    """
    above = variance = 0.0
    for seen, own, base in expected:
        above += seen.total - seen.deals * usual_points(own, base)
        variance += base.variance * seen.deals * (1 + seen.deals / (own.deals + PRIOR))
    return above / math.sqrt(variance) if variance else 0.0


def fed_usually(giver: Share, taker: Share, base: Share) -> Share:
    """Return the share of a giver's discards that the taker would usually take.

    It combines how often others take the giver's discards with how often the taker takes others',
    both relative to the base rate.

    >>> fed_usually(Share(30, 100), Share(30, 100), Share(200, 1000)).rate > 0.3
    True
    """
    gives, takes = with_base_rate(giver, base), with_base_rate(taker, base)
    if not base.rate:
        return Share(0.0, PRIOR)
    rate = min(0.99, gives.rate * takes.rate / base.rate)
    cases = 1 / (1 / gives.cases + 1 / takes.cases)
    return Share(rate * cases, cases)


@dataclass(slots=True)
class Spread:
    """The spread of the figures of all pairs, kept as counts by size.

    Figures distributed by chance alone have a width of 1. Common evenings, moods and styles widen
    it, and figures are divided by the width. It is based on the median, which a few colluding pairs
    hardly change.

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
        """The median size relative to a standard normal one's, at least 1."""
        passed = 0
        for size in sorted(self._sizes):
            passed += self._sizes[size]
            if 2 * passed >= self.number:
                return max(1.0, size * STEP / MEDIAN_OF_NORMAL)
        return 1.0


def of_both(first: float, second: float) -> float:
    """Return two independent figures, of both directions of a pair, as one.

    >>> round(of_both(3.0, 3.0), 2)
    4.24
    """
    return (first + second) / math.sqrt(2)


def threshold(tests: int) -> float:
    """Return the z above which, among so many figures, chance is not a likely explanation.

    >>> [round(threshold(tests), 2) for tests in (1, 1_000, 1_000_000)]
    [0.84, 3.54, 5.07]
    """
    return -NormalDist().inv_cdf(FALSE_FINDINGS / max(1, tests))


def groups(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return the lowest player key of each player's group of linked pairs.

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
