"""Convert the groups found by the search to cards, and place all jokers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from rummy.notation.cards import CARDS, JOKER_INDEX, PRINTED_JOKER, Card, Rank, pack
from rummy.notation.rules import Rules
from rummy.solver.groups import LONGEST_SEQUENCE, Group, Kind
from rummy.solver.rows import DIGIT, RANKS, Laid
from rummy.solver.sets import ALL_ONES, COLUMN

HIGH: Final = 12
"""The index of a king; a sequence with king and ace has a high ace, unless it has all 13."""
FIRST: Final = itemgetter(0)
BY_BIT: Final = ((), *((card,) * copies for card in pack() for copies in (1, 2)))
"""The card of each bit of a hand's digits, by the bit's position."""
ORDER: Final = {kind: place * len(CARDS) for place, kind in enumerate(Kind)}


def lay(
    suits: int, printed: int, laid: Sequence[Laid], wild: Rank, rules: Rules
) -> tuple[tuple[Group, ...], tuple[Card, ...]]:
    """Return the groups with their jokers in place, and the cards left over.

    The hand is given as the digits of its suits and its printed jokers. Unneeded jokers are added
    to groups, because a declaration must place them (RB 2.4), unless the rules allow loose jokers.
    Pure sequences come first, then sequences, then sets.

    >>> from rummy import PROFILES
    >>> rules, hand = PROFILES["total-rummy-points"], 0b0101 << 60 | 1 << 16  # 5H 6H, and 9C.
    >>> groups, left = lay(hand, 1, [(True, 0b0101 << 60, 1)], Rank.TWO, rules)
    >>> str(groups[0]), left
    ('5H 6H PJ', (Card('9C'),))
    """
    spare = [JOKER_INDEX] * printed  # Printed jokers first: wild cards have other uses.
    for _, cards, _ in laid:
        suits -= cards
    wilds = suits & COLUMN << 2 * (wild - 1)
    if wilds:
        spare += indexes(wilds)
    if not spare:
        placed = [_placed(found, ()) for found in laid]
    else:
        placed, standing = _stand(laid, spare, wild, rules)
        for index in standing:
            if index == JOKER_INDEX:
                printed -= 1
            else:
                suits -= 1 << 2 * index
    placed.sort(key=FIRST)
    left = cards_of(suits)
    if printed:
        left += [PRINTED_JOKER] * printed
    return tuple([group for _, group in placed]), tuple(left)


def _stand(
    laid: Sequence[Laid], spare: list[int], wild: Rank, rules: Rules
) -> tuple[list[tuple[int, Group]], list[int]]:
    """Return the groups with unneeded jokers added, and the jokers left."""
    extra = {} if rules.loose_jokers else _with_room(laid, len(spare), rules)
    placed, gone = [], []
    for place, found in enumerate(laid):
        is_sequence, cards, jokers = found
        jokers += extra.get(place, 0)
        standing: tuple[int, ...] = ()
        if jokers:
            own = _own_wild((is_sequence, cards, jokers), spare, wild)
            if own is not None:
                spare.remove(own)
                gone.append(own)
                cards, jokers = cards + (1 << 2 * own), jokers - 1
            standing = tuple(spare[:jokers])
            del spare[:jokers]
            gone += standing
        placed.append(_placed((is_sequence, cards, jokers), standing))
    return placed, gone


def cards_of(suits: int) -> list[Card]:
    """Return the cards of the digits of four rows, in order.

    >>> cards_of(0b1001)
    [Card('AC'), Card('2C'), Card('2C')]
    """
    found: list[Card] = []
    while suits:
        bit = suits & -suits
        suits ^= bit
        found += BY_BIT[bit.bit_length()]
    return found


def indexes(suits: int) -> list[int]:
    """Return the indices of the cards of the digits of four rows.

    >>> indexes(0b1001)  # AC and two 2C.
    [0, 1, 1]
    """
    found: list[int] = []
    while suits:
        index = (suits & -suits).bit_length() - 1 >> 1
        copies = suits >> 2 * index & DIGIT
        found += [index] * copies if copies > 1 else (index,)
        suits ^= copies << 2 * index
    return found


def _naturals(group: Laid) -> int:
    """Return the number of natural cards of a group; only an identical triple repeats a card."""
    cards = group[1]
    return cards.bit_count() + (cards >> 1 & ALL_ONES != 0)


@lru_cache(maxsize=8_192)
def _placed(laid: Laid, jokers: tuple[int, ...]) -> tuple[int, Group]:
    """Return the sort key of a group, by kind and first card, and the group."""
    group = _group(laid, jokers)
    return ORDER[group.kind] + group.cards[0].index, group


def _with_room(laid: Sequence[Laid], jokers: int, rules: Rules) -> dict[int, int]:
    """Add unneeded jokers to the groups; the shortest pure sequence stays pure."""
    spare = jokers - sum([used for _, _, used in laid])
    if not spare:
        return {}
    pure = [place for place, (is_run, _, used) in enumerate(laid) if is_run and not used]
    first_life = min(pure, key=lambda place: _naturals(laid[place]), default=None)
    extra = {}
    for place in sorted(range(len(laid)), key=lambda place: (place in pure, place)):
        if place != first_life:
            extra[place] = min(spare, _room(laid[place], rules))
            spare -= extra[place]
    return extra


def _room(group: Laid, rules: Rules) -> int:
    """Return how many more jokers a group can take."""
    is_sequence, cards, jokers = group
    naturals = cards.bit_count()
    if naturals < rules.min_naturals or cards >> 1 & ALL_ONES:
        return 0  # Identical triples have no jokers.
    if is_sequence:
        limit, size = rules.max_jokers_per_sequence, LONGEST_SEQUENCE
    else:
        limit, size = rules.max_jokers_per_set, rules.max_set_size or LONGEST_SEQUENCE
    room = size - naturals - jokers
    return room if limit is None else min(room, limit - jokers)


def _own_wild(group: Laid, spare: Sequence[int], wild: Rank) -> int | None:
    """Return an unneeded wild card that can stand for itself in place of a joker of a sequence."""
    is_sequence, cards, jokers = group
    if not is_sequence or not jokers:
        return None
    own = (cards.bit_length() - 1) // (2 * RANKS) * RANKS + wild - 1
    if own not in spare or cards >> 2 * own & DIGIT:
        return None
    naturals = indexes(cards)
    places = [index % RANKS for index in (*naturals, own)]
    high = [place or RANKS for place in places]  # With the ace, if any, above the king.
    span = min(max(places) - min(places), max(high) - min(high)) + 1
    return own if span <= len(naturals) + jokers else None


def _group(laid: Laid, jokers: Sequence[int]) -> Group:
    standing = [CARDS[index] for index in jokers]
    naturals = cards_of(laid[1])
    if not laid[0]:
        return Group(Kind.SET, (*naturals, *standing))
    if not jokers:
        if naturals[0].index % 13 == 0 and naturals[-1].index % 13 == HIGH:
            naturals.append(naturals.pop(0))  # The ace is high.
        return Group(Kind.PURE_SEQUENCE, tuple(naturals))
    places = {card.index % 13 + 1: card for card in naturals}
    if 1 in places and max(places) > len(naturals) + len(standing):
        places[14] = places.pop(1)  # The ace is high.
    lowest = min(places)
    row = [places.get(place) or standing.pop(0) for place in range(lowest, max(places) + 1)]
    while standing:  # Beyond the ends: above up to the high ace, then below.
        if lowest + len(row) <= 14:
            row.append(standing.pop(0))
        else:
            row.insert(0, standing.pop(0))
    return Group(Kind.SEQUENCE, tuple(row))
