"""Dealt hands: points, sequences, and what jokers are worth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final

from rummy.notation.cards import CARDS, RANK_LETTERS, Card, Rank, wild_rank
from rummy.notation.profiles import profile
from rummy.notation.rules import CARDS_DEALT, Rules
from rummy.numbers.counted import DEALS
from rummy.numbers.table import Cell, Column, Observation, Table
from rummy.solver.arrangement import best_arrangement, hand_price
from rummy.thirteen.state import full_deck


@lru_cache(maxsize=8)
def _deck(name: str, players: int) -> tuple[Card, ...]:
    return full_deck(profile(name), players)


def hand_values(hand: Sequence[Card], wild: Rank, rules: Rules) -> dict[str, int]:
    """Return the values of a hand of 13 cards by column.

    >>> from rummy.notation.cards import parse_cards
    >>> hand = parse_cards("5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C")
    >>> hand_values(hand, Rank.ACE, profile("total-rummy-points"))
    {'points': 2, 'pure': True, 'both': True, 'declarable': False}
    """
    points, unmet = hand_price(hand, wild=wild, rules=rules)
    is_free = points == 0 and best_arrangement(hand, wild=wild, rules=rules).declares(rules)
    return {
        "points": points,
        "pure": unmet != "no_pure_sequence",
        "both": unmet is None,
        "declarable": is_free,
    }


def _dealt(name: str, players: int, rng: random.Random) -> tuple[Observation, ...]:
    turned, *hand = rng.sample(_deck(name, players), CARDS_DEALT + 1)
    wild = wild_rank(turned)
    joker = turned if turned is CARDS[-1] else RANK_LETTERS[wild - 1]
    jokers = sum(card.is_joker(wild) for card in hand)
    values = hand_values(hand, wild, profile(name))
    return _observed(str(joker), jokers, tuple(values.items()))


@lru_cache(maxsize=100_000)
def _observed(
    joker: str, jokers: int, found: tuple[tuple[str, int], ...]
) -> tuple[Observation, ...]:
    values = dict(found)
    points = values["points"]
    met = "both" if values["both"] else "pure only" if values["pure"] else "no pure"
    return (
        ("all", {**values, f"points={points}": 1}),
        (f"wild {joker}", values),
        (f"{jokers} jokers", values),
        (f"{jokers} jokers, {met}", {"points": points}),
    )


TABLE: Final = Table(
    name="dealt",
    about="A dealt hand of 13 cards: all hands, by the wild rank, and by the number of jokers.",
    unit="a dealt hand and a turned-up card",
    batch=100_000,
    columns=(
        Column("points", "mean", "points of the hand under the cap"),
        Column("pure", "share", "the hand has a pure sequence"),
        Column("both", "share", "the hand has all required sequences"),
        Column("declarable", "share", "the 13 cards can be declared"),
        Column("points", "distribution", "hands with exactly these points"),
    ),
    cells=tuple(Cell(name, partial(_dealt, *deal)) for name, deal in DEALS.items()),
)
