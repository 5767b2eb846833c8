"""The formula of a season: points for the places of a contest (RB 10.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isqrt


def contest_points(
    place_points: Sequence[int], places: Sequence[int], *, is_weighted: bool
) -> list[int]:
    """Return the points of each finisher of a contest, in the order of `places`.

    `place_points` has the points of the first, second, … place; the last place of a contest gets
    none. With `is_weighted` they are multiplied by the square root of the number of opponents,
    in whole tenths. Tied finishers share the points of their places equally, rounded down.

    >>> formula = (100, 60, 40, 25, 15)
    >>> contest_points(formula, [1, 2], is_weighted=True)
    [100, 0]
    >>> contest_points(formula, [1, 2, 3, 4, 5, 6], is_weighted=True)
    [220, 132, 88, 55, 33, 0]
    >>> contest_points(formula, [2, 2, 1], is_weighted=False)
    [30, 30, 100]
    """
    opponents = len(places) - 1
    tenths = isqrt(100 * opponents) if is_weighted else 10
    paid = place_points[:opponents]
    tied = Counter(places)
    points = {
        place: sum(paid[place - 1 : place - 1 + number]) * tenths // (10 * number)
        for place, number in tied.items()
    }
    return [points[place] for place in places]
