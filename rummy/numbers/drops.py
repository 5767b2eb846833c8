"""The first drop in a pool: the same deal played on and dropped, compared by the pool's value."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Final

from rummy.bots.choice import Strength
from rummy.bots.stakes import shares
from rummy.notation.profiles import profile
from rummy.numbers.deals import hand_class, play
from rummy.numbers.table import Cell, Column, Observation, Table

WHOLE: Final = 10_000


def _observed(
    name: str, players: int, total: int, strength: Strength, rng: random.Random
) -> Iterator[Observation]:
    rules, totals, at = profile(name), (total,) * players, rng.randint(1, players)
    seed = rng.getrandbits(128)
    values, held = [], ""
    for dropper in (None, at):
        again = random.Random(seed)  # noqa: S311  # The same cards for both.
        played = play(rules, totals, strength, again, may_drop=False, dropper=dropper)
        after = [total + result.points for result in played.outcome.results]
        # A seat at the limit is out; if all are, the prize is shared equally.
        left = shares(after, rules) if min(after) < (rules.limit or 0) else [1 / players] * players
        values.append(round(WHOLE * left[at - 1]))
        held = hand_class(played.dealt[at - 1], played.wild, rules)
    played_on, dropped = values
    found = {"played": played_on, "dropped": dropped, "gain": played_on - dropped}
    yield "all", found
    yield f"hand {held}", found


TABLE: Final = Table(
    name="pool-drops",
    about="The first drop in a pool: one deal played on and dropped, nobody else drops.",
    unit="a deal, played twice with the same cards",
    cost=100,
    batch=10,
    columns=(
        Column("played", "mean", "the seat's chance of the prize if it plays on, in 1/100 of a %"),
        Column("dropped", "mean", "the same if it drops in its first turn"),
        Column("gain", "mean", "the difference; below 0 the drop is better"),
    ),
    cells=tuple(
        Cell(
            f"total-rummy-pool-101, {players} seats at {total}, greedy",
            partial(_observed, "total-rummy-pool-101", players, total, "greedy"),
        )
        for total in (0, 60)
        for players in (2, 4, 6)
    ),
)
