"""The reference's look at a group, with what cannot be a group turned away early.

The same definitions as `reference.kinds_of`, some thirty times as fast, so that the tests can try
more hands; a test holds the two against each other. The benchmark prints its ratio to both.
"""

from __future__ import annotations

from tests.builders.cards.reference import PURE, SET, Answer, ReferenceRules, is_set, sequence_kinds
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
        named = [card for card in cards if card != "PJ"]
        suits = {card[1] for card in plain or named}
        kinds |= sequence_kinds(cards, wild, rules, "".join(sorted(suits)))
    if one_rank and is_set(cards, wild, rules):
        kinds.add(SET)
    return kinds
