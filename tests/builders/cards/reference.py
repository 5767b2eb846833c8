"""An exhaustive solver to hold the fast one against: every subset of the hand, by definition.

It shares nothing with `rummy.solver.search` or `rummy.solver.groups`: cards are read from
their text, a subset is tried in every suit and window, and a memoised recursion packs the
subsets. Slow and plain on purpose; it is the yardstick of the tests and of the
benchmark, so it does not change. `early` looks at the subsets faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

RANKS = "A23456789TJQK"
PURE, IMPURE, SET = "pure", "impure", "set"
COST = 100
"""A point in the scale that also counts ungrouped cards, of which there are fewer than this."""


@dataclass(frozen=True)
class ReferenceRules:
    """The rules that the reference supports, named as in `rummy.Rules`."""

    max_jokers_per_sequence: int | None = None
    max_jokers_per_set: int | None = None
    max_set_size: int | None = None
    min_naturals: int = 1
    identical_triples: bool = False
    life_of_four: str = "none"
    loose_jokers: bool = False
    unmet: str = "all"
    unmet_points: str = "sum"
    cap: int = 80


@dataclass(frozen=True)
class Answer:
    """The result of the reference for a hand."""

    raw_points: int
    points: int
    declarable: bool
    unmet: str | None


def points_of(card: str, wild: str) -> int:
    if card == "PJ" or card[0] == wild:
        return 0
    return 10 if card[0] in "ATJQK" else int(card[0])


def kinds_of(cards: list[str], wild: str, rules: ReferenceRules) -> set[str]:
    """Every kind of group these cards can be read as."""
    kinds: set[str] = set()
    if len(cards) < 3:
        return kinds
    if rules.identical_triples and len(cards) == 3 and len(set(cards)) == 1 and "PJ" not in cards:
        kinds.add(PURE)
    kinds |= sequence_kinds(cards, wild, rules)
    if is_set(cards, wild, rules):
        kinds.add(SET)
    return kinds


def jokers_fit(jokers: int, size: int, most: int | None, rules: ReferenceRules) -> bool:
    naturals = size - jokers
    return (most is None or jokers <= most) and (jokers == 0 or naturals >= rules.min_naturals)


def sequence_kinds(
    cards: list[str], wild: str, rules: ReferenceRules, suits: str = "CDHS"
) -> set[str]:
    """Lay the cards into every window of the suits; a card not in its place is a joker."""
    kinds: set[str] = set()
    size = len(cards)
    if size > 13:
        return kinds
    for suit in suits:
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


def is_set(cards: list[str], wild: str, rules: ReferenceRules) -> bool:
    size = len(cards)
    if rules.max_set_size is not None and size > rules.max_set_size:
        return False
    for rank in RANKS:
        suits = {card[1] for card in cards if card != "PJ" and card[0] == rank}
        others = [card for card in cards if card == "PJ" or card[0] != rank]
        if any(card != "PJ" and card[0] != wild for card in others):
            continue
        doubles = size - len(others) - len(suits)
        if doubles and rank != wild:
            continue
        jokers = len(others) + doubles
        if suits and jokers_fit(jokers, size, rules.max_jokers_per_set, rules):
            return True
    return False


Kinds = Callable[[list[str], str, ReferenceRules], set[str]]
"""Returns the kinds of group that cards form: cards, wild rank, rules."""


def gate(state: tuple[int, int, int, int], rules: ReferenceRules) -> bool:
    """Whether pure sequences, impure ones, and long ones of each let the hand count as arranged."""
    pure, impure, long_pure, long_impure = state
    if pure < 1 or pure + impure < 2:
        return False
    if rules.life_of_four == "any":
        return long_pure + long_impure > 0
    if rules.life_of_four == "other":
        return long_impure > 0 or (long_pure > 0 and pure > 1)
    return True


def solve(hand: list[str], wild: str, rules: ReferenceRules, kinds_of: Kinds = kinds_of) -> Answer:
    """Return the exact answer for a hand of any size up to fourteen."""
    size = len(hand)
    points = [points_of(card, wild) for card in hand]
    loose = [card == "PJ" or card[0] == wild for card in hand]
    weight = [COST * points[i] + (0 if rules.loose_jokers and loose[i] else 1) for i in range(size)]
    groups: list[list[tuple[int, str, bool]]] = [[] for _ in range(size)]
    sequences: list[tuple[int, str]] = []
    for count in range(3, size + 1):
        for places in combinations(range(size), count):
            mask = sum(1 << place for place in places)
            for kind in kinds_of([hand[place] for place in places], wild, rules):
                groups[places[0]].append((mask, kind, count >= 4))
                if kind != SET:
                    sequences.append((mask, kind))

    @cache
    def best(mask: int, state: tuple[int, int, int, int]) -> int | None:
        if not mask:
            return 0 if gate(state, rules) else None
        low = (mask & -mask).bit_length() - 1
        least = best(mask & (mask - 1), state)
        if least is not None:
            least += weight[low]
        for group, kind, long in groups[low]:
            if group & mask == group:
                pure, impure, long_pure, long_impure = state
                after = (
                    min(2, pure + (kind == PURE)),
                    min(2, impure + (kind == IMPURE)),
                    min(1, long_pure + (kind == PURE and long)),
                    min(1, long_impure + (kind == IMPURE and long)),
                )
                found = best(mask & ~group, after)
                if found is not None and (least is None or found < least):
                    least = found
        return least

    @cache
    def pure_only(mask: int) -> int:
        if not mask:
            return 0
        low = (mask & -mask).bit_length() - 1
        least = pure_only(mask & (mask - 1)) + points[low]
        for group, kind, _ in groups[low]:
            if kind == PURE and group & mask == group:
                least = min(least, pure_only(mask & ~group))
        return least

    met = best((1 << size) - 1, (0, 0, 0, 0))
    unmet = None if met is not None else name_of_gate(sequences)
    raw = sum(points) if met is None else met // COST
    if rules.unmet == "pure_exempt":
        raw = min(raw, pure_only((1 << size) - 1))
    flat = unmet is not None and rules.unmet_points == "flat"
    return Answer(raw, rules.cap if flat else min(raw, rules.cap), met == 0, unmet)


def name_of_gate(sequences: list[tuple[int, str]]) -> str:
    pures = [mask for mask, kind in sequences if kind == PURE]
    if not pures:
        return "no_pure_sequence"
    for mask in pures:
        if any(not mask & other for other, _ in sequences):
            return "no_sequence_of_four"
    return "one_sequence_only"
