"""Looks measured numbers of a dealt hand up: what playing on costs, and what it brings."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from rummy.numbers import deals
from rummy.numbers.files import FOLDER, read_rows

MEASURED_AS: Final = {"total-rummy": "total-rummy-points", "vengala": "vengala-points"}
"""The profile whose deals were measured, by the first part of a profile's name."""
JOKERS_MOST: Final = 3
"""Hands with more jokers are measured together."""


class Estimate(NamedTuple):
    """A mean in points with its 95 % interval, and the number of deals behind it."""

    mean: float
    low: float
    high: float
    deals: int


def expected_cost(
    profile: str,
    *,
    players: int,
    position: int,
    points: int,
    jokers: int,
    pure: bool,
    gate: bool,
) -> Estimate | None:
    """Return the mean points of a dealt hand that is played on, 0 for a deal won; None if unknown.

    Position 1 leads. `points` are those of the hand as dealt, `pure` means that it has a pure
    sequence, `gate` that it has all required ones. Compare the mean with the first drop's price.

    >>> cost = expected_cost(
    ...     "total-rummy-points", players=2, position=1, points=80, jokers=0, pure=False, gate=False
    ... )
    >>> cost is not None and cost.low < cost.mean < cost.high < 40
    True
    """
    return _found("points", profile, players, position, jokers, pure, gate)


def expected_net(
    profile: str,
    *,
    players: int,
    position: int,
    points: int,
    jokers: int,
    pure: bool,
    gate: bool,
) -> Estimate | None:
    """Return what playing on brings in points rummy: all points won, or own points with a minus.

    The arguments are those of `expected_cost`. The first drop is better if the mean is below its
    price with a minus.
    """
    return _found("net", profile, players, position, jokers, pure, gate)


def _found(
    measure: str, profile: str, players: int, position: int, jokers: int, pure: bool, gate: bool
) -> Estimate | None:
    measured = MEASURED_AS.get(profile.rsplit("-", profile.count("-pool-") * 2 or 1)[0])
    held = f"{jokers} jokers" if jokers < JOKERS_MOST else f"{JOKERS_MOST} jokers or more"
    met = "both" if gate else "pure only" if pure else "no pure"
    seat = "first" if position == 1 else "last" if position == players else "between"
    table, cell = _table(), f"{measured}, {players} seats, greedy"
    for group in (f"hand {held}, {met}, {seat}", f"hand {held}, {met}"):
        if (line := table.get((cell, group, measure))) is not None:
            return line
    return None


@cache
def _table() -> dict[tuple[str, str, str], Estimate]:
    """Return the means of hands with an interval, by cell, group and measure."""
    return {
        (cell, group, measure): Estimate(float(value), float(low), float(high), int(samples))
        for cell, group, measure, samples, _, value, low, high in read_rows(FOLDER, deals.PLAYED_ON)
        if group.startswith("hand") and measure in {"points", "net"} and low
    }
