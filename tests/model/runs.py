"""The pools that are explored: all interleavings of each, until no new state is found.

Of those in `MOST` only so many states are visited.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tests.model.state import Terms

# The shortest pool in which drops, eliminations, rejoins and splits are possible (RB 6).
SHORT: Final = Terms(limit=3, cap=2, points=(1, 2), turns=2, misses=1, toss=False)
TRIO: Final = Terms(
    players=3,
    seats_min=3,
    seats_max=3,
    limit=3,
    cap=2,
    points=(1,),
    turns=3,
    misses=1,
    toss=False,
    faults=0,
    rulings=0,
)


SMALL: Final = {
    "two players, a ruling": replace(SHORT, faults=0),
    "two players, a crash": replace(SHORT, rulings=0),
}
LARGE: Final = {
    "two players, a crash and a ruling": SHORT,
    "two players, two misses, twice at the table": replace(
        SHORT, misses=2, sittings=2, rulings=0, toss=True
    ),
    "three players": TRIO,
    "three players, more deals": replace(TRIO, limit=4, points=(2,)),
    "three players, a crash and a ruling": replace(TRIO, turns=1, faults=1, rulings=1),
}
# How many states are visited where there are too many for all, the nearest to the start first.
MOST: Final = {"three players, a crash and a ruling": 1_000_000}
RUNS: Final = {"small": SMALL, "large": SMALL | LARGE}
