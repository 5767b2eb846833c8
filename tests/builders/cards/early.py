"""The reference's look at a group, with what cannot be a group turned away early.

The same definitions as `reference.kinds_of`, some thirty times as fast, so that the tests can try
more hands; a test holds the two against each other. The benchmark prints its ratio to both.
"""

from __future__ import annotations

from tests.builders.cards.reference import (
    IMPURE,
    PURE,
    RANKS,
    SET,
    Answer,
    ReferenceRules,
    is_set,
    jokers_fit,
)
from tests.builders.cards.reference import solve as solve_plainly


def solve(hand: list[str], wild: str, rules: ReferenceRules) -> Answer:
    """Return the exact answer for a hand, as `reference.solve` does."""
    return solve_plainly(hand, wild, rules, kinds_of)


def kinds_of(cards: list[str], wild: str, rules: ReferenceRules) -> set[str]:
    """Every kind of group these cards can be read as."""
    kinds: set[str] = set()
    plain = [card for card in cards if card != "PJ" and card[0] != wild]
    one_rank, one_suit = len({c[0] for c in plain}) < 2, len({c[1] for c in plain}) < 2
    if len(cards) < 3 or not (one_rank or one_suit):
        return kinds
    if rules.identical_triples and len(cards) == 3 and len(set(cards)) == 1 and "PJ" not in cards:
        kinds.add(PURE)
    if one_suit and len(set(plain)) == len(plain):
        kinds |= sequence_kinds(cards, wild, rules)
    if one_rank and is_set(cards, wild, rules):
        kinds.add(SET)
    return kinds


def sequence_kinds(cards: list[str], wild: str, rules: ReferenceRules) -> set[str]:
    """Lay the cards into every window of every suit; a card not in its place is a joker."""
    kinds: set[str] = set()
    size = len(cards)
    if size > 13:
        return kinds
    named = [card for card in cards if card != "PJ"]
    plain = [card for card in named if card[0] != wild] or named
    for suit in sorted({card[1] for card in plain}):
        for start in range(14 - size + 1):
            window = {(RANKS + "A")[place] + suit for place in range(start, start + size)}
            jokers = 0
            for card in cards:
                if card in window:
                    window.discard(card)
                elif card == "PJ" or card[0] == wild:
                    jokers += 1
                else:
                    jokers = -99
            if jokers < 0:
                continue
            if jokers == 0:
                kinds.add(PURE)
            elif jokers_fit(jokers, size, rules.max_jokers_per_sequence, rules):
                kinds.add(IMPURE)
    return kinds
