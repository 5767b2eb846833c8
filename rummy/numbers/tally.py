"""Sums of observations, and the estimates with their 95 % intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Final

from rummy.numbers.table import Column, Estimate, Observation

Z: Final = 1.959964
"""The standard deviations of a 95 % interval."""
LEAST_SAMPLES: Final = 30
"""A mean of fewer samples has no interval, because it would be too narrow."""
_NUMBERS: Final = re.compile(r"(\d+)")


@dataclass
class Tally:
    """Integer sums of samples, so that the order of addition makes no difference.

    Members of one sample, such as the seats of a deal, depend on each other. An estimate is
    therefore a ratio of sums over samples, with the interval of such a ratio.
    """

    members: dict[str, list[int]] = field(default_factory=dict)
    """By group: samples, members, and the sum of the squares of members a sample."""
    sums: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """By group and measure: sum, sum of squares, and sum of products with the members."""

    def add(self, observations: Iterable[Observation], times: int = 1) -> None:
        """Add a sample that occurred once or several times.

        >>> tally = Tally()
        >>> tally.add([("seat", {"points": 10}), ("seat", {"points": 30})])
        >>> tally.members, tally.sums
        ({'seat': [1, 2, 4]}, {('seat', 'points'): [40, 1600, 80]})
        """
        counts: dict[str, int] = {}
        totals: dict[tuple[str, str], int] = {}
        for group, values in observations:
            counts[group] = counts.get(group, 0) + 1
            for measure, value in values.items():
                key = group, measure
                totals[key] = totals.get(key, 0) + value
        for group, count in counts.items():
            row = self.members.setdefault(group, [0, 0, 0])
            _add(row, (times, times * count, times * count * count))
        for key, total in totals.items():
            row, whole = self.sums.setdefault(key, [0, 0, 0]), times * total
            _add(row, (whole, whole * total, whole * counts[key[0]]))

    def merge(self, other: Tally) -> None:
        """Add all samples of another tally.

        >>> tally = Tally()
        >>> tally.merge(Tally({"seat": [1, 1, 1]}, {("seat", "points"): [10, 100, 10]}))
        >>> tally.members
        {'seat': [1, 1, 1]}
        """
        for group, row in other.members.items():
            _add(self.members.setdefault(group, [0, 0, 0]), row)
        for key, row in other.sums.items():
            _add(self.sums.setdefault(key, [0, 0, 0]), row)

    def estimates(self, columns: Iterable[Column]) -> Iterator[Estimate]:
        """Yield the estimates in a fixed order: by group, then by column.

        >>> tally = Tally()
        >>> for points in (10, 30):
        ...     tally.add([("seat", {"points": points})])
        >>> [line.value for line in tally.estimates([Column("points", "mean", "")])]
        [20.0]
        """
        found: dict[str, list[str]] = {}
        for group, measure in self.sums:
            if "=" in measure:
                found.setdefault(group, []).append(measure)
        for group in sorted(self.members, key=natural):
            for column in columns:
                measures = [column.name]
                if column.kind == "distribution":
                    listed = found.get(group, [])
                    measures = [one for one in listed if one.split("=")[0] == column.name]
                    measures.sort(key=natural)
                elif (group, column.name) not in self.sums:
                    continue
                for measure in measures:
                    yield self._estimate(group, measure, is_share=column.kind != "mean")

    def _estimate(self, group: str, measure: str, *, is_share: bool) -> Estimate:
        samples, members, squares = self.members[group]
        total, total_squares, products = self.sums[group, measure]
        ratio = Fraction(total, members)
        spread = total_squares - 2 * ratio * products + ratio * ratio * squares
        variance = float(spread / (members * members)) * samples / max(samples - 1, 1)
        value = float(ratio)
        if not is_share:
            if samples < LEAST_SAMPLES:
                return Estimate(group, measure, samples, members, value, None, None)
            half = Z * sqrt(max(variance, 0.0))
            return Estimate(group, measure, samples, members, value, value - half, value + half)
        effective = value * (1 - value) / variance if variance > 0 else float(samples)
        return Estimate(group, measure, samples, members, value, *wilson(value, effective))


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of `count` independent observations.

    >>> [round(end, 3) for end in wilson(0.0, 100)]
    [0.0, 0.037]
    """
    square = Z * Z / count
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * sqrt(share * (1 - share) / count + square / (4 * count))
    return max(0.0, middle - half), min(1.0, middle + half)


def natural(text: str) -> list[tuple[int, str]]:
    """Return a sort key by which `turn 2` comes before `turn 10`.

    >>> sorted(["turn 10", "turn 2"], key=natural)
    ['turn 2', 'turn 10']
    """
    parts = _NUMBERS.split(text)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts if part]


def _add(row: list[int], values: Iterable[int]) -> None:
    for place, value in enumerate(values):
        row[place] += value
