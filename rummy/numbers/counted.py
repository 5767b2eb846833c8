"""Chances of a dealt hand that are counted exactly, without samples."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import comb
from typing import Final

from rummy.notation.profiles import profile
from rummy.notation.rules import CARDS_DEALT, Rules
from rummy.numbers.table import Cell, Column, Table

DEALS: Final = {
    "total-rummy": ("total-rummy-points", 2),
    "rummycentral": ("rummycentral-points", 2),
    "vengala-2-decks": ("vengala-points", 2),
    "vengala-3-decks": ("vengala-points", 5),
}
"""The profile and the players of each kind of deal."""


def joker_chances(rules: Rules, players: int) -> list[Fraction]:
    """Return the chances of 0, 1, 2 ... jokers in a dealt hand.

    Whichever card is turned up, one card fewer than all jokers of the deal is left.

    >>> [round(float(chance), 4) for chance in joker_chances(profile("total-rummy-points"), 2)][:3]
    [0.2891, 0.4027, 0.2274]
    """
    decks = rules.decks_for(players)
    jokers = decks * (4 + rules.printed_jokers_per_deck) - 1
    others = decks * 48
    hands = comb(jokers + others, CARDS_DEALT)
    return [
        Fraction(comb(jokers, held) * comb(others, CARDS_DEALT - held), hands)
        for held in range(min(jokers, CARDS_DEALT) + 1)
    ]


def pure_chance(rules: Rules, players: int) -> Fraction:
    """Return the chance that a dealt hand has a pure sequence.

    >>> round(float(pure_chance(profile("total-rummy-points"), 2)), 5)
    0.36599
    """
    decks = rules.decks_for(players)
    suit = _without_pure(decks, 2 if rules.identical_triples else decks)
    hands = [1]
    for _ in range(4):
        hands = _product(hands, suit)
    printed = decks * rules.printed_jokers_per_deck
    hands = _product(hands, [comb(printed, held) for held in range(printed + 1)])
    cards = decks * (52 + rules.printed_jokers_per_deck)
    return 1 - Fraction(hands[CARDS_DEALT], comb(cards, CARDS_DEALT))


def _without_pure(decks: int, most: int) -> list[int]:
    """Return by number of cards the ways to hold cards of a suit without three ranks in a row.

    `most` is the greatest number of equal cards. The ace stands at both ends.
    """
    whole = [0] * (CARDS_DEALT + 1)
    for aces in range(most + 1):
        # Ways by whether the last two ranks are held, and by cards.
        ways = {(False, aces > 0): _power(decks, aces)}
        for _ in range(12):
            following: dict[tuple[bool, bool], list[int]] = {}
            for (before, last), row in ways.items():
                for held in range(most + 1):
                    if before and last and held:
                        continue
                    key = last, held > 0
                    more = _product(row, _power(decks, held))
                    following[key] = _sum(following.get(key, [0]), more)
            ways = following
        for (before, last), row in ways.items():
            if not (before and last and aces):
                whole = _sum(whole, row)
    return whole


def _power(decks: int, held: int) -> list[int]:
    return [0] * held + [comb(decks, held)]


def _sum(one: list[int], other: list[int]) -> list[int]:
    longest = max(len(one), len(other))
    one, other = (row + [0] * (longest - len(row)) for row in (one, other))
    return [a + b for a, b in zip(one, other, strict=True)]


def _product(one: list[int], other: list[int]) -> list[int]:
    """Return the product of two polynomials up to the size of a hand."""
    found = [0] * min(len(one) + len(other) - 1, CARDS_DEALT + 1)
    for a, first in enumerate(one):
        for b, second in enumerate(other[: len(found) - a]):
            found[a + b] += first * second
    return found


def _counts(name: str, players: int) -> Iterator[tuple[str, str, Fraction]]:
    rules = profile(name)
    chances = joker_chances(rules, players)
    yield "all", "pure", pure_chance(rules, players)
    yield "all", "jokers", sum((held * one for held, one in enumerate(chances)), Fraction(0))
    for held, chance in enumerate(chances[:8]):
        yield "all", f"jokers={held}", chance
    printed = rules.printed_jokers_per_deck
    yield "all", "printed", Fraction(printed, 52 + printed)


TABLE: Final = Table(
    name="counted",
    about="Chances of a dealt hand of 13 cards that are counted exactly.",
    unit="none: the values are counted",
    columns=(
        Column("pure", "share", "the hand has a pure sequence"),
        Column("jokers", "mean", "jokers in the hand, printed and wild"),
        Column("jokers", "distribution", "hands with this number of jokers"),
        Column("printed", "share", "a printed joker is turned up, so that aces are wild"),
    ),
    cells=tuple(Cell(name, exact=partial(_counts, *deal)) for name, deal in DEALS.items()),
)
