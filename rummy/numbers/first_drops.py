"""The first drop against opponents who drop by the same table.

Each deal is played by the present table: the seats whose hands it drops, drop. In points rummy the
deal is then played again with the same cards for each of these seats, as if it had played on; a
drop itself always costs the same. In a pool it is played twice for one seat, with both decisions.

A hand is dropped if that is better beyond the 95 % interval, and played on if that is; otherwise
the decision of the table before remains, at first to play on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from rummy.bots.stakes import shares
from rummy.notation.profiles import profile
from rummy.notation.rules import Rules
from rummy.numbers.deals import Played, class_of, deal_of, play
from rummy.numbers.lookup import BAND, POOL_TOTALS, UNEQUAL_TOTALS
from rummy.numbers.table import Cell, Column, Estimate, Observation, Rule, Ruled, Table
from rummy.solver.arrangement import hand_price
from rummy.thirteen import Deal

WHOLE: Final = 10_000


def _classes(deal: Deal) -> list[str]:
    return [class_of(seat.hand, deal.wild_rank, deal.rules) for seat in deal.seats]


def _points(rules: Rules, players: int, rule: Rule, rng: random.Random) -> Iterator[Observation]:
    deal = deal_of(rules, players, rng)
    hands = list(enumerate(_classes(deal), start=1))
    droppers = {at for at, held in hands if f"position {at}, {held}" in rule}
    played = play(deal, "greedy", rng, droppers=droppers)
    for at, held in hands:
        how, net = played.outcome.results[at - 1].how, _net(played, at)
        yield f"seat {at}", {"won": how == "won", "net": net, "dropped": how == "first_drop"}
        again = play(deal, "greedy", rng, droppers=droppers - {at}) if at in droppers else played
        if again.turns[at - 1]:  # It had to decide.
            points = again.outcome.points(at)
            values = {"won": not points, "points": points, "net": _net(again, at)}
            price, _ = hand_price(deal.seat(at).hand, wild=deal.wild, rules=rules)
            yield f"position {at}, {held}", values
            yield held, values
            yield f"{held}, {price // BAND * BAND} points or more", values


def _net(played: Played, at: int) -> int:
    """Return what the deal brings to a position in points rummy."""
    points = [result.points for result in played.outcome.results]
    return sum(points) if played.outcome.winner == at else -points[at - 1]


def _pool(
    rules: Rules, totals: Sequence[int], rule: Rule, rng: random.Random
) -> Iterator[Observation]:
    """Compare both decisions of a seat by its chance of the prize.

    The seats have these totals in a random order. If they differ, each total has a rule of its own.
    """
    players, are_equal = len(totals), len(set(totals)) == 1
    deal, own = deal_of(rules, players, rng), rng.randint(1, players)
    totals = rng.sample(totals, players)
    keys = [
        f"hand {held}" if are_equal else f"hand at {total}, {held}"
        for total, held in zip(totals, _classes(deal), strict=True)
    ]
    droppers = {at for at, key in enumerate(keys, start=1) if key in rule}
    chances = []
    for dropping in (droppers - {own}, droppers | {own}):
        played = play(deal, "greedy", rng, totals=totals, droppers=dropping)
        if not played.turns[own - 1]:  # It won before it had to decide.
            return
        results = played.outcome.results
        after = [total + result.points for total, result in zip(totals, results, strict=True)]
        # A seat at the limit is out; if all are, the prize is shared equally.
        left = shares(after, rules) if min(after) < (rules.limit or 0) else [1 / players] * players
        chances.append(round(WHOLE * left[own - 1]))
    values = {"played": chances[0], "dropped": chances[1], "gain": chances[0] - chances[1]}
    yield "all" if are_equal else f"all at {totals[own - 1]}", values
    yield keys[own - 1], values


def following(measure: str, least: int, lines: Iterable[Estimate], rule: Rule) -> Rule:
    """Return the table by these estimates: drop what is below `least`.

    >>> line = Estimate("hand 0 jokers, no pure", "net", 40, 40, -30.0, -34.0, -26.0)
    >>> following("net", -20, [line], frozenset())
    frozenset({'hand 0 jokers, no pure'})
    >>> following("net", -30, [line], frozenset())
    frozenset()
    """
    then = set(rule)
    for line in lines:
        is_key = line.group.startswith(("position ", "hand "))
        if line.measure == measure and is_key and line.low is not None:
            assert line.high is not None, "an interval has both ends"
            if line.high < least:
                then.add(line.group)
            elif line.low > least:
                then.discard(line.group)
    return frozenset(then)


POINTS: Final = Table(
    name="first-drops",
    about="The first drop in points rummy, against greedy bots that drop by the same table.",
    unit="a deal, played again for each seat that drops",
    cost=2500,
    batch=10,
    columns=(
        Column("won", "share", "the seat won the deal, or its hand cost nothing"),
        Column("dropped", "share", "the seat dropped"),
        Column("points", "mean", "points if the hand is played on, 0 for a deal won"),
        Column("net", "mean", "points won from all others, or own points with a minus"),
        Column("drops", "share", "the table drops the hand"),
        Column("rounds", "mean", "how often the table was measured"),
        Column("changed", "mean", "hands whose decision the last measurement would change"),
    ),
    cells=tuple(
        Cell(
            f"total-rummy-points, {players} seats, drop {price}",
            ruled=Ruled(
                partial(_points, profile("total-rummy-points").with_(first_drop=price), players),
                partial(following, "net", -price),
            ),
        )
        for price, seats in ((20, (2, 6, 4, 3, 5)), (10, (2, 6)), (25, (2, 6)))
        for players in seats
    ),
)


def _pool_cell(players: int, alone: int, others: int) -> Cell:
    totals = (alone, *(others,) * (players - 1))
    name = f" at {alone}" if alone == others else f", {alone} against {others}"
    return Cell(
        f"total-rummy-pool-101, {players} seats{name}, greedy",
        ruled=Ruled(
            partial(_pool, profile("total-rummy-pool-101"), totals), partial(following, "gain", 0)
        ),
    )


POOLS: Final = Table(
    name="pool-drops",
    about="The first drop in a pool of 101, against greedy bots that drop by the same table.",
    unit="a deal, played twice with the same cards",
    cost=5000,
    batch=10,
    columns=(
        Column("played", "mean", "the seat's chance of the prize if it plays on, in 1/100 of a %"),
        Column("dropped", "mean", "the same if it drops in its first turn"),
        Column("gain", "mean", "the difference; below 0 the drop is better"),
        *POINTS.columns[-3:],
    ),
    cells=(
        *(
            _pool_cell(players, total, total)
            for total in POOL_TOTALS
            for players in (2, 4, 6, 3, 5)
        ),
        *(_pool_cell(players, alone, others) for players, alone, others in UNEQUAL_TOTALS),
    ),
)
