"""Whole deals played by bots: turns, seats, losses, and playing on against the first drop."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from rummy import thirteen
from rummy.bots.choice import Strength, choose
from rummy.notation.cards import Card, Rank
from rummy.notation.moves import Discard, Drop, Move, Show
from rummy.notation.profiles import profile
from rummy.notation.rules import Rules
from rummy.notation.shuffle import SEED_BYTES, Stream
from rummy.numbers import lookup
from rummy.numbers.table import Cell, Column, Observation, Table
from rummy.solver.arrangement import hand_price
from rummy.thirteen import Deal, Outcome

MOST_TURNS: Final = 15
Observations: TypeAlias = Iterator[Observation]


class Played(NamedTuple):
    """A played deal."""

    outcome: Outcome
    wild: Rank
    dealt: tuple[tuple[Card, ...], ...]
    turns: list[int]
    """Turns of each position, the show included."""
    after: list[tuple[int, int]]
    """A turn's number and the points of the hand after it."""
    reshuffles: int


def deal_of(rules: Rules, players: int, rng: random.Random) -> Deal:
    """Return a new deal.

    >>> len(deal_of(profile("total-rummy-points"), 2, random.Random(1)).seats)
    2
    """
    return thirteen.start(rules, players=players, stream=Stream(rng.randbytes(SEED_BYTES)))


def play(
    deal: Deal,
    strength: Strength,
    rng: random.Random,
    *,
    totals: Sequence[int] = (),
    droppers: Collection[int] | None = None,
) -> Played:
    """Play a deal between equal bots, by the totals of the positions in a pool.

    The positions `droppers` drop in their first turn and nobody else drops; if it is None, the bots
    decide.

    >>> rng = random.Random(1)
    >>> played = play(deal_of(profile("total-rummy-points"), 2, rng), "greedy", rng, droppers=(1,))
    >>> len(played.dealt), played.outcome.winner
    (2, 2)
    """
    dealt, turns = tuple(seat.hand for seat in deal.seats), [0] * deal.players
    after: list[tuple[int, int]] = []
    while (status := thirteen.status(deal)).phase != "ended":
        at = status.awaited
        legal = thirteen.legal_moves(deal, at)
        drops = tuple(move for move in legal if isinstance(move, Drop))
        if droppers is not None and at in droppers and drops:
            move: Move = drops[0]
        else:
            may_drop = droppers is None
            legal = legal if may_drop else tuple(move for move in legal if move not in drops)
            move = choose(thirteen.view(deal, at), legal, rng, strength=strength, totals=totals)
        deal = thirteen.apply(deal, move)
        if isinstance(move, Discard | Show | Drop):
            turns[at - 1] += 1
        if isinstance(move, Discard | Show):
            points, _ = hand_price(deal.seat(at).hand, wild=deal.wild, rules=deal.rules)
            after.append((turns[at - 1], 0 if isinstance(move, Show) else points))
    outcome = thirteen.outcome(deal)
    assert outcome is not None, "the deal has ended"
    return Played(outcome, deal.wild_rank, dealt, turns, after, deal.reshuffles)


def _observed(played: Played, rules: Rules) -> Observations:
    outcome, players = played.outcome, len(played.dealt)
    points = [result.points for result in outcome.results]
    pot, turns = sum(points), played.turns[outcome.winner - 1]
    yield (
        "deal",
        {
            "turns": turns,
            "pot": pot,
            "reshuffled": played.reshuffles > 0,
            "exhausted": outcome.ending == "exhausted",
            f"turns={min(turns, MOST_TURNS)}": 1,
        },
    )
    for place, (result, hand) in enumerate(zip(outcome.results, played.dealt, strict=True)):
        is_won = result.how == "won"
        values = {"won": is_won, "points": points[place], "net": pot if is_won else -points[place]}
        yield f"seat {place + 1}", values
        if not is_won:
            is_dropped = result.how in {"first_drop", "middle_drop"}
            is_cap = points[place] == rules.cap
            yield "loser", {"points": points[place], "cap": is_cap, "dropped": is_dropped}
        held = class_of(hand, played.wild, rules)
        yield f"hand {held}", values
        seat = "first" if place == 0 else "last" if place == players - 1 else "between"
        yield f"hand {held}, {seat}", values
        dealt, _ = hand_price(hand, wild=played.wild, rules=rules)
        yield "turn 0", {"held": dealt}
    for number, left in played.after:
        if number <= MOST_TURNS:
            yield f"turn {number}", {"held": left}


def class_of(hand: Sequence[Card], wild: Rank, rules: Rules) -> str:
    """Return the class of a dealt hand: its jokers and the sequences it has.

    >>> from rummy.notation.cards import parse_cards
    >>> hand = parse_cards("5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C")
    >>> class_of(hand, Rank.ACE, profile("total-rummy-points"))
    '1 jokers, both'
    """
    jokers = sum(card.is_joker(wild) for card in hand)
    _, unmet = hand_price(hand, wild=wild, rules=rules)
    return lookup.hand_class(jokers=jokers, pure=unmet != "no_pure_sequence", gate=unmet is None)


def _sample(
    name: str, players: int, strength: Strength, may_drop: bool, rng: random.Random
) -> Observations:
    rules = profile(name)
    deal = deal_of(rules, players, rng)
    return _observed(play(deal, strength, rng, droppers=None if may_drop else ()), rules)


COLUMNS: Final = (
    Column("turns", "mean", "turns of the winner, the show included"),
    Column("turns", "distribution", "deals won in this turn; 15 stands for 15 and later"),
    Column("pot", "mean", "points of all losers together"),
    Column("reshuffled", "share", "the open pile was shuffled into a new stock"),
    Column("exhausted", "share", "the stock was used up twice and the lowest hand won"),
    Column("won", "share", "the seat won the deal"),
    Column("points", "mean", "points of the seat, 0 if it won"),
    Column("net", "mean", "points won from all others, or own points with a minus"),
    Column("cap", "share", "the loser has the most points possible"),
    Column("dropped", "share", "the loser dropped"),
    Column("held", "mean", "points of the hand after the seat's turn; 0 after a show"),
)
GAMES: Final[tuple[tuple[str, int, Strength], ...]] = (
    *(("total-rummy-points", players, "greedy") for players in range(2, 7)),
    *(("total-rummy-points", players, "strong") for players in (2, 6, 4, 3, 5)),
    ("vengala-points", 2, "greedy"),
    ("vengala-points", 5, "greedy"),
)

PLAYED_ON, POINTS = (
    Table(
        name=name,
        about=about,
        unit="a deal",
        cost=2000,
        batch=10,
        columns=COLUMNS,
        cells=tuple(
            Cell(f"{rules}, {players} seats, {bot}", partial(_sample, rules, players, bot, drops))
            for rules, players, bot in GAMES
        ),
    )
    for name, about, drops in (
        ("played-on", "Whole deals in which nobody drops, by equal bots.", False),
        ("points-tables", "Whole deals by equal bots that drop as they do on the site.", True),
    )
)
