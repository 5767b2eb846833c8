"""Looks measured numbers of a dealt hand up: what playing on costs, and what it brings.

It imports no other module of the library, so that the bots can use it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent
MEASURED: Final = {
    "total-rummy-points": "total-rummy-points",
    "total-rummy-pool-61": "total-rummy-points",
    "total-rummy-pool-101": "total-rummy-points",
    "total-rummy-pool-201": "total-rummy-points",
    "vengala-points": "vengala-points",
    "vengala-pool-101": "vengala-points",
    "vengala-pool-201": "vengala-points",
}
"""The profile whose deals were measured, by profile with the same rules of a deal."""
PRICES: Final = (20, 10, 25)
"""The prices of a first drop that were measured, the one with most players first."""
JOKERS_MOST: Final = 3
"""Hands with more jokers are measured together."""
BAND: Final = 20
"""The width of the groups by points."""
POOL_TOTALS: Final = (0, 40, 60, 80)
"""The equal totals at which the first drop in a pool was measured."""
UNEQUAL_TOTALS: Final = ((2, 80, 40), (4, 80, 40), (6, 80, 40), (4, 40, 80), (6, 40, 80))
"""Unequal ones: the number of seats, the total of one of them, and that of all others."""
NEAR: Final = 15
"""The most points by which each total may differ from a measured one."""
SEATS_OF_POOL: Final = 4
"""The seats of the pools that stand for all where only survivors are known."""


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
    held = hand_class(jokers=jokers, pure=pure, gate=gate)
    band = f"{held}, {points // BAND * BAND} points or more"
    placed = f"position {position}, {held}"
    # The points of a hand with all sequences differ most, and its position matters least.
    groups = (band, placed, held) if gate else (placed, held)
    return _first("first-drops", _cells(profile, players), groups, "points") or _first(
        "played-on",
        [f"{MEASURED.get(profile)}, {players} seats, greedy"],
        [f"hand {held}"],
        "points",
    )


def expected_net(
    profile: str,
    *,
    players: int,
    position: int,
    jokers: int,
    pure: bool,
    gate: bool,
    points: int = 0,
    price: int | None = None,
) -> Estimate | None:
    """Return what playing on brings in points rummy: all points won, or own points with a minus.

    The arguments are those of `expected_cost`. With a `price` of the first drop only deals count
    in which the others drop by the table for the nearest price. The first drop is better if the
    mean is below its price with a minus.

    >>> hand = {"jokers": 0, "pure": False, "gate": False}
    >>> net = expected_net("total-rummy-points", players=2, position=2, **hand)
    >>> net is not None and net.high < -20
    True
    """
    held = hand_class(jokers=jokers, pure=pure, gate=gate)
    cells = _cells(profile, players)
    if price is not None:
        cells.sort(key=lambda cell: abs(int(cell.split()[-1]) - price))
    found = _first("first-drops", cells, [f"position {position}, {held}"], "net")
    if found is not None or price is not None:
        return found
    return _first("played-on", [_alone(profile, players)], [f"hand {held}"], "net")


def expected_pool_gain(
    profile: str, *, players: int, own: int, others: float, hand: str
) -> Estimate | None:
    """Return by how much playing on raises the chance of a pool's prize against the first drop.

    It is in percentage points; the drop is better below 0. `own` is the total of the seat and
    `others` the mean one of the others; None if totals near both were not measured.

    >>> hand = hand_class(jokers=0, pure=False, gate=False)
    >>> expected_pool_gain("total-rummy-pool-101", players=4, own=0, others=80, hand=hand) is None
    True
    """
    measured: list[tuple[int, float, str, str]] = [
        (total, total, f"{players} seats at {total}", "hand") for total in POOL_TOTALS
    ]
    for seats, alone, rest in UNEQUAL_TOTALS:
        if seats == players:
            name = f"{players} seats, {alone} against {rest}"
            mean = (alone + (players - 2) * rest) / (players - 1)
            measured += [
                (alone, rest, name, f"hand at {alone},"),
                (rest, mean, name, f"hand at {rest},"),
            ]
    far, cell, key = min(
        (max(abs(own - mine), abs(others - rest)), name, key) for mine, rest, name, key in measured
    )
    if far > NEAR:
        return None
    found = _first("pool-drops", [f"{profile}, {cell}, greedy"], [f"{key} {hand}"], "gain")
    return found and _hundredth(found)


def expected_share(profile: str, *, survivors: int, rank: int) -> Estimate | None:
    """Return the share of a pool's prize, in percent, that is won by declining a split offer.

    `rank` is the place of the seat's total among the survivors', 1 for the lowest.

    >>> expected_share("total-rummy-pool-101", survivors=9, rank=1) is None
    True
    """
    cell = f"{profile}, {SEATS_OF_POOL} seats, greedy"
    found = _first("pools", [cell], [f"split of {survivors}, total {rank}"], "prize")
    return found and _hundredth(found)


def expected_rejoin(profile: str, *, survivors: int, drops: int) -> Estimate | None:
    """Return the share of the prize, in percent, that a rejoin wins, by the drops left after it.

    >>> expected_rejoin("total-rummy-pool-101", survivors=9, drops=0) is None
    True
    """
    cell = f"{profile}, {SEATS_OF_POOL} seats, greedy"
    found = _first("pools", [cell], [f"rejoined {survivors}, {drops} drops left"], "prize")
    return found and _hundredth(found)


def hand_class(*, jokers: int, pure: bool, gate: bool) -> str:
    """Return the class of a dealt hand: its jokers and the sequences it has.

    >>> hand_class(jokers=1, pure=True, gate=True)
    '1 jokers, both'
    """
    held = f"{jokers} jokers" if jokers < JOKERS_MOST else f"{JOKERS_MOST} jokers or more"
    return f"{held}, {'both' if gate else 'pure only' if pure else 'no pure'}"


def _cells(profile: str, players: int) -> list[str]:
    """Return the cells of the first drop in points rummy, one for each price."""
    return [f"{MEASURED.get(profile)}, {players} seats, drop {price}" for price in PRICES]


def _alone(profile: str, players: int) -> str:
    """Return the cell of deals in which nobody drops."""
    return f"{MEASURED.get(profile)}, {players} seats, greedy"


def _first(
    table: str, cells: Iterable[str], groups: Iterable[str], measure: str
) -> Estimate | None:
    """Return the first of these groups that has an interval, or None."""
    means = _means(table)
    found = (means.get((cell, group, measure)) for cell in cells for group in groups)
    return next((one for one in found if one is not None), None)


def _hundredth(found: Estimate) -> Estimate:
    return Estimate(found.mean / 100, found.low / 100, found.high / 100, found.deals)


@cache
def _means(table: str) -> dict[tuple[str, str, str], Estimate]:
    """Return a table's values with an interval, by cell, group and measure."""
    with (FOLDER / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
        return {
            (cell, group, measure): Estimate(float(value), float(low), float(high), int(samples))
            for cell, group, measure, samples, _, value, low, high in list(csv.reader(lines))[1:]
            if low
        }
