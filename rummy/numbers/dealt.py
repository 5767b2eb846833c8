"""Dealt hands: points, sequences, and what jokers are worth."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from rummy.notation.cards import CARDS, RANK_LETTERS, Card, Rank, wild_rank
from rummy.notation.profiles import profile
from rummy.notation.rules import CARDS_DEALT, Rules
from rummy.numbers.counted import DEALS
from rummy.numbers.table import Cell, Column, Observation, Table
from rummy.solver.arrangement import best_arrangement, hand_price
from rummy.thirteen.state import full_deck

MOST_JOKERS: Final = 6


@lru_cache(maxsize=8)
def _deck(name: str, players: int) -> tuple[Card, ...]:
    return full_deck(profile(name), players)


@lru_cache(maxsize=256)
def _parted(name: str, players: int, turned: Card) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the jokers and the other cards of a deck without the turned card."""
    wild, left = wild_rank(turned), list(_deck(name, players))
    left.remove(turned)
    jokers = tuple(card for card in left if card.is_joker(wild))
    return jokers, tuple(card for card in left if not card.is_joker(wild))


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


def _dealt(name: str, players: int, rng: random.Random) -> Iterator[Observation]:
    turned, *hand = rng.sample(_deck(name, players), CARDS_DEALT + 1)
    wild = wild_rank(turned)
    values = hand_values(hand, wild, profile(name))
    yield "all", {**values, f"points={values['points']}": 1}
    yield f"wild {turned if turned is CARDS[-1] else RANK_LETTERS[wild - 1]}", values


def _with_jokers(name: str, players: int, held: int, rng: random.Random) -> Iterator[Observation]:
    turned = rng.choice(_deck(name, players))
    jokers, others = _parted(name, players, turned)
    hand = rng.sample(jokers, held) + rng.sample(others, CARDS_DEALT - held)
    values = hand_values(hand, wild_rank(turned), profile(name))
    yield "all", values
    met = "both" if values["both"] else "pure only" if values["pure"] else "no pure"
    yield met, {"points": values["points"]}


COLUMNS: Final = (
    Column("points", "mean", "points of the hand under the cap"),
    Column("pure", "share", "the hand has a pure sequence"),
    Column("both", "share", "the hand has all required sequences"),
    Column("declarable", "share", "the 13 cards can be declared"),
)

DEALT: Final = Table(
    name="dealt",
    about="A dealt hand of 13 cards, over all turned-up cards and by the wild rank.",
    unit="a dealt hand and a turned-up card",
    columns=(*COLUMNS, Column("points", "distribution", "hands with exactly these points")),
    cells=tuple(Cell(name, partial(_dealt, *deal)) for name, deal in DEALS.items()),
)

JOKERS: Final = Table(
    name="jokers",
    about="A dealt hand of 13 cards with a given number of jokers.",
    unit="a dealt hand with this number of jokers, and a turned-up card",
    cost=5,
    columns=COLUMNS,
    cells=tuple(
        Cell(f"{name}, {held} jokers", partial(_with_jokers, *deal, held))
        for name, deal in DEALS.items()
        for held in range(MOST_JOKERS + 1)
    ),
)
