"""Placing all cards of a hand, including jokers, if the rules limit jokers per group.

Points never depend on an unneeded joker, but a declaration must place it (RB 2.4). If sequences
take any number of jokers, this is always possible; otherwise this exhaustive search decides. It
runs only on hands that cost 0 and have a loose joker.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from rummy.notation.cards import Card, Rank
from rummy.notation.rules import Rules
from rummy.solver.declaration import unmet_gates
from rummy.solver.groups import Group, Kind, judge_group

Pieces = dict[int, list[tuple[int, Kind]]]
"""Valid groups as bit masks of positions in the hand, by their first position."""


def cover(hand: Sequence[Card], wild: Rank, rules: Rules) -> tuple[Group, ...] | None:
    """Return groups of all cards that meet the requirements, or None if there are none.

    >>> from rummy.notation.cards import parse_cards
    >>> from rummy.notation.profiles import PROFILES
    >>> rules = PROFILES["total-rummy-points"].with_(max_jokers_per_sequence=1)
    >>> hand = parse_cards("2H 3H 4H 5H 6H 7H 9C 9D 9S PJ KD KS KC")
    >>> " | ".join(map(str, cover(hand, Rank.ACE, rules)))
    '9C 9D 9S | KC KD KS | 2H 3H 4H | 5H 6H 7H PJ'
    """
    cards = sorted(hand)
    pieces: Pieces = {place: [] for place in range(len(cards))}
    for size in range(3, len(cards) + 1):
        for places in combinations(range(len(cards)), size):
            kind = judge_group([cards[n] for n in places], wild=wild, rules=rules).kind
            if kind is not None and kind is not Kind.JOKERS:
                pieces[places[0]].append((sum(1 << n for n in places), kind))
    chosen = _cover((1 << len(cards)) - 1, (), pieces, rules, set())
    if chosen is None:
        return None
    return tuple(
        Group(kind, tuple(card for n, card in enumerate(cards) if mask >> n & 1))
        for mask, kind in chosen
    )


Chosen = tuple[tuple[int, Kind], ...]
Lives = tuple[tuple[int, Kind], ...]


def _cover(
    left: int, chosen: Chosen, pieces: Pieces, rules: Rules, dead: set[tuple[int, Lives]]
) -> Chosen | None:
    lives = [(kind, mask.bit_count()) for mask, kind in chosen if kind.is_sequence]
    if not left:
        return None if unmet_gates(lives, rules) else chosen
    # The result depends on the kinds of sequences so far, not on their cards.
    key = left, tuple(sorted((min(length, 4), kind) for kind, length in lives))
    if key in dead:
        return None
    first = (left & -left).bit_length() - 1
    for mask, kind in pieces[first]:
        if mask & left == mask:
            found = _cover(left ^ mask, (*chosen, (mask, kind)), pieces, rules, dead)
            if found is not None:
                return found
    dead.add(key)
    return None
