"""Whole deals of straight rummy played by bots."""

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


def _observed(players: int, strength: Strength, rng: random.Random) -> Iterator[Observation]:
    rules = straight.PROFILES["straight"]
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
        Column("won", "share", "the seat won the deal"),
        Column("points", "mean", "points of the dealt hand, or of a loser's last hand"),
        Column("meld", "share", "the dealt hand has a meld"),
    ),
    cells=tuple(
        Cell(f"{players} seats, {bot}", partial(_observed, players, bot)) for players, bot in GAMES
    ),
)
