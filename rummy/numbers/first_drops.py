"""The first drop against opponents who drop by the same table.

Each deal is played by the present table: who holds a hand that it drops, drops. Then the deal is
played again with the same cards for each seat, with its own decision reversed. In points rummy the
second deal is needed only for seats that drop, because a drop costs the same in every deal.

A table's keys are groups of hands; a hand is dropped if that is better beyond the 95 % interval,
and played on if that is; otherwise the decision remains that of the table before, at first to play.
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
from rummy.numbers.lookup import BAND
from rummy.numbers.table import Cell, Column, Estimate, Observation, Rule, Ruled, Table
from rummy.solver.arrangement import hand_price
from rummy.thirteen import Deal

WHOLE: Final = 10_000


def _keys(deal: Deal, totals: Sequence[int]) -> list[str]:
    """Return the key of each seat's hand: with its total in a pool, else with its position."""
    held = [class_of(seat.hand, deal.wild_rank, deal.rules) for seat in deal.seats]
    if totals:
        return [f"total {total}, {each}" for total, each in zip(totals, held, strict=True)]
    return [f"position {at}, {each}" for at, each in enumerate(held, start=1)]


def _points(rules: Rules, players: int, rule: Rule, rng: random.Random) -> Iterator[Observation]:
    deal = deal_of(rules, players, rng)
    keys = _keys(deal, ())
    droppers = {at for at, key in enumerate(keys, start=1) if key in rule}
    played = play(deal, "greedy", rng, droppers=droppers)
    for at, key in enumerate(keys, start=1):
        how, net = played.outcome.results[at - 1].how, _net(played, at)
        yield f"seat {at}", {"won": how == "won", "net": net, "dropped": how == "first_drop"}
        again = play(deal, "greedy", rng, droppers=droppers - {at}) if at in droppers else played
        if again.turns[at - 1]:  # It had to decide.
            points = again.outcome.points(at)
            values = {"won": not points, "points": points, "net": _net(again, at)}
            held = key.partition(", ")[2]
            price, _ = hand_price(deal.seat(at).hand, wild=deal.wild, rules=rules)
            yield key, values
            yield held, values
            yield f"{held}, {price // BAND * BAND} points or more", values


def _net(played: Played, at: int) -> int:
    """Return what the deal brings to a position in points rummy."""
    points = [result.points for result in played.outcome.results]
    return sum(points) if played.outcome.winner == at else -points[at - 1]


def _pool(
    rules: Rules, known: Sequence[int], rule: Rule, rng: random.Random
) -> Iterator[Observation]:
    """Compare both decisions of a seat by its chance of the prize.

    It is the seat with the first total in half of the deals, else another one.
    """
    players = len(known)
    deal, first = deal_of(rules, players, rng), rng.randrange(players)
    totals = [known[place - first] for place in range(players)]
    place = (first + (rng.randrange(1, players) if rng.random() < 0.5 else 0)) % players
    keys = _keys(deal, totals)
    droppers = {at for at, key in enumerate(keys, start=1) if key in rule}
    chances = []
    for dropping in (droppers - {place + 1}, droppers | {place + 1}):
        played = play(deal, "greedy", rng, totals=totals, droppers=dropping)
        if not played.turns[place]:  # It won before it had to decide.
            return
        points = [result.points for result in played.outcome.results]
        after = [total + lost for total, lost in zip(totals, points, strict=True)]
        # A seat at the limit is out; if all are, the prize is shared equally.
        left = shares(after, rules) if min(after) < (rules.limit or 0) else [1 / players] * players
        chances.append(round(WHOLE * left[place]))
    values = {"played": chances[0], "dropped": chances[1], "gain": chances[0] - chances[1]}
    yield f"total {totals[place]}", values
    yield keys[place], values


def following(measure: str, least: int, lines: Iterable[Estimate], rule: Rule) -> Rule:
    """Return the table by these estimates: drop what is below `least`."""
    then = set(rule)
    for line in lines:
        is_key = line.group.startswith(("position ", "total ")) and "joker" in line.group
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
        Column("won", "share", "the seat won the deal"),
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
    cells=tuple(
        Cell(
            f"total-rummy-pool-101, {players} seats, {own} against {others}",
            ruled=Ruled(
                partial(_pool, profile("total-rummy-pool-101"), (own, *[others] * (players - 1))),
                partial(following, "gain", 0),
            ),
        )
        for players in (2, 4, 6)
        for own, others in ((0, 0), (50, 50), (75, 75), (50, 0), (75, 40))
    ),
)
