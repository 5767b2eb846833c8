"""The exact search behind `best_arrangement`.

Jokers cost nothing and are interchangeable, so only their number matters. Sequences have cards of
one suit, so tables give the cost of each suit (`rows`). Only sets have cards of several suits, so
the search tries the choices of sets (`sets`) and adds up the suits for each (`suits`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from rummy.errors import NotationError
from rummy.notation.cards import Card, Rank, pack
from rummy.notation.rules import Rules
from rummy.solver.rows import ROW, Laid, Shape
from rummy.solver.sets import ROW_BITS, SUITS, SetWalk, has_pure, set_sizes

PLAIN_LIVES: Final = (3, 3)
ALL_ROWS: Final = (1 << 4 * ROW_BITS) - 1
POINTS_AT: Final = 4 * ROW_BITS
JOKERS_AT: Final = POINTS_AT + 8
PRINTED_AT: Final = JOKERS_AT + 4


class Solution(NamedTuple):
    """The least points of a hand, the unmet requirement, and what its groups are made from."""

    points: int
    unmet: str | None
    walk: SetWalk | None = None
    runs: tuple[Laid, ...] = ()
    """The pure sequences that cost nothing, if a hand misses a requirement (RB 4.4)."""

    def groups(self) -> tuple[Laid, ...]:
        """Return the groups with these points.

        >>> Solution(18, "no_pure_sequence").groups()
        ()
        """
        return self.runs if self.walk is None else self.walk.groups()


@lru_cache(maxsize=13)
def weights(wild: Rank) -> dict[Card, int]:
    """Return each card's part of a hand's sum: row digit, points, joker, printed joker.

    >>> from rummy import parse_card
    >>> [weights(Rank.TWO)[parse_card(text)] >> JOKERS_AT for text in ("2H", "PJ", "3H")]
    [1, 17, 0]
    """
    weight = {Card(52): 1 << JOKERS_AT | 1 << PRINTED_AT}
    for card in pack():
        suit, rank = divmod(card.index, 13)
        joker = card.is_joker(wild) << JOKERS_AT
        weight[card] = 1 << ROW_BITS * suit + 2 * rank | card.points(wild) << POINTS_AT | joker
    return weight


Search = tuple[Shape, tuple[int, ...]]
"""A search: the shape of its sequences, and the most naturals of its sets."""


@lru_cache(maxsize=64)
def searches_of(rules: Rules) -> tuple[Search, ...]:
    """Return a search for each way to meet RB 3.1 and 3.2; the best result counts.

    >>> from rummy import PROFILES
    >>> [(one.first_life, one.second_life) for one, _ in searches_of(PROFILES["vengala-points"])]
    [(4, 3), (3, 4)]
    """
    lives = {"none": ((3, 3),), "other": ((3, 4),), "any": ((4, 3), (3, 4))}[rules.life_of_four]
    return tuple(_search(rules, lengths) for lengths in lives)


def _search(rules: Rules, lives: tuple[int, int]) -> Search:
    shape = _shape(rules, lives)
    return shape, set_sizes(shape, rules.max_set_size)


def _shape(rules: Rules, lives: tuple[int, int]) -> Shape:
    jokers = rules.max_jokers_per_sequence, rules.max_jokers_per_set
    return _shared(lives, jokers, rules.min_naturals, rules.identical_triples)


@lru_cache(maxsize=64)
def _shared(
    lives: tuple[int, int], jokers: tuple[int | None, int | None], naturals: int, triples: bool
) -> Shape:
    """Return one shape for all equivalent rules, so that they share tables."""
    return Shape(*lives, *jokers, naturals, triples)


def summed(hand: Iterable[Card], wild: Rank) -> int:
    """Return the sum of a hand's weights, which is the input of the search.

    >>> from rummy import parse_cards
    >>> summed(parse_cards("AC 3C"), Rank.TWO) & ALL_ROWS
    17
    """
    try:
        return sum(map(weights(wild).__getitem__, hand))
    except (KeyError, TypeError):
        raise NotationError(
            "bad_card", "a hand consists of Card objects; use parse_cards for a text"
        ) from None


def solve(hand: int, wild: Rank, rules: Rules) -> Solution:
    """Return the solution of a hand, given as its sum.

    >>> from rummy import PROFILES, parse_cards
    >>> hand = summed(parse_cards("5H 6H 7H 9C TC JC KD KS KC 2C 2D 2H 4S"), Rank.ACE)
    >>> solve(hand, Rank.ACE, PROFILES["total-rummy-points"]).points
    4
    """
    suits, jokers = hand & ALL_ROWS, hand >> JOKERS_AT & 15
    whole = hand >> POINTS_AT & 255
    if not has_pure(suits, triples=rules.identical_triples):
        return Solution(whole, "no_pure_sequence")
    best: Solution | None = None
    for search in searches_of(rules):
        found = _walk(suits, jokers, wild, search)
        if found is not None and (best is None or found.points < best.points):
            best = found
            if not best.points:
                return best
    unmet = None if best else _gate(suits, jokers, wild, rules)
    if rules.unmet == "pure_exempt":
        exempt = _pure_only(suits, wild, rules)
        if best is None or exempt.points < best.points:
            return exempt._replace(unmet=unmet)
    return best or Solution(whole, unmet)


def _walk(suits: int, jokers: int, wild: Rank, search: Search) -> Solution | None:
    shape, sizes = search
    walk = SetWalk(suits, jokers, wild - 1, shape, sizes)
    points = walk.run()
    return None if points is None else Solution(points, None, walk)


def _gate(suits: int, jokers: int, wild: Rank, rules: Rules) -> str:
    """Return the unmet requirement of a hand with a pure sequence."""
    if rules.life_of_four == "none":
        return "one_sequence_only"
    found = _walk(suits, jokers, wild, _search(rules, PLAIN_LIVES))
    return "one_sequence_only" if found is None else "no_sequence_of_four"


def _pure_only(suits: int, wild: Rank, rules: Rules) -> Solution:
    """Return the solution in which only pure sequences cost nothing (RB 4.4)."""
    shape, points = _shape(rules, PLAIN_LIVES), 0
    laid: list[Laid] = []
    for shift in SUITS:
        cost, runs = shape.pure_only(suits >> shift & ROW, wild - 1)
        points += cost
        laid += [(True, taken << shift, 0) for taken in runs]
    return Solution(points, None, runs=tuple(laid))
