"""Whole deals of straight rummy played by bots, also under each house rule (RB 9.4)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Final

from rummy import straight
from rummy.bots.choice import Strength, choose
from rummy.notation.moves import Discard
from rummy.notation.shuffle import SEED_BYTES, Stream
from rummy.numbers.table import Cell, Column, Observation, Table
from rummy.straight.melds import melds_in

MOST_TURNS: Final = 30
GAMES: Final[tuple[tuple[int, Strength], ...]] = (
    *((players, "greedy") for players in range(2, 7)),
    (2, "strong"),
    (4, "strong"),
)
STRAIGHT: Final = straight.PROFILES["straight"]
HOUSE_RULES: Final = {
    "one meld a turn": STRAIGHT.with_(max_melds_per_turn=1),
    "meld before laying off": STRAIGHT.with_(lay_off_before_meld=False),
    "taken card not discarded": STRAIGHT.with_(may_discard_taken=False),
    "no refill": STRAIGHT.with_(max_refills=0),
    "bonus of 10 for rummy": STRAIGHT.with_(rummy_bonus=10),
    "aces high and low": STRAIGHT.with_(aces="both", ace_points=15),
    "aces round the corner": STRAIGHT.with_(aces="both", ace_points=15, round_the_corner=True),
    "last card discarded": STRAIGHT.with_(must_discard_last=True),
    "penalty scoring": STRAIGHT.with_(scoring="penalty"),
}
"""Each of the eight house rules alone (RB 9.4); aces high and low with both of its forms."""


def _observed(
    players: int, strength: Strength, rules: straight.StraightRules, rng: random.Random
) -> Iterator[Observation]:
    deal = straight.start(rules, players=players, stream=Stream(rng.randbytes(SEED_BYTES)))
    for seat in deal.seats:
        melds = bool(melds_in(seat.hand, rules))
        yield "dealt", {"points": sum(map(rules.points_of, seat.hand)), "meld": melds}
    turns = [0] * players
    while (status := straight.status(deal)).phase != "ended":
        at = status.awaited
        legal = straight.legal_moves(deal, at)
        move = choose(straight.view(deal, at), legal, rng, strength=strength)
        turns[at - 1] += isinstance(move, Discard)
        deal = straight.apply(deal, move)
    outcome = straight.outcome(deal)
    assert outcome is not None, "the deal has ended"
    rounds = max(turns)
    yield (
        "deal",
        {
            "turns": rounds,
            "out": outcome.ending == "out",
            "rummy": outcome.is_rummy,
            "scored": sum(result.points for result in outcome.results),
            f"turns={min(rounds, MOST_TURNS)}": 1,
        },
    )
    for result in outcome.results:
        is_won = result.position == outcome.winner
        yield f"seat {result.position}", {"won": is_won}
        if not is_won:
            yield "loser", {"points": result.hand_points}


TABLE: Final = Table(
    name="straight",
    about="Whole deals of straight rummy by equal bots.",
    unit="a deal",
    cost=2000,
    batch=20,
    columns=(
        Column("turns", "mean", "discards of the seat that made most"),
        Column("turns", "distribution", "deals with this number; 30 stands for 30 and later"),
        Column("out", "share", "a seat went out"),
        Column("rummy", "share", "a seat went rummy"),
        Column("scored", "mean", "points of all seats: the winner's, or penalties"),
        Column("won", "share", "the seat won the deal"),
        Column("points", "mean", "points of the dealt hand, or of a loser's last hand"),
        Column("meld", "share", "the dealt hand has a meld"),
    ),
    cells=(
        *(
            Cell(f"{players} seats, {bot}", partial(_observed, players, bot, STRAIGHT))
            for players, bot in GAMES
        ),
        *(
            Cell(f"{players} seats, greedy, {name}", partial(_observed, players, "greedy", rules))
            for name, rules in HOUSE_RULES.items()
            for players in (2, 4)
        ),
    ),
)
