"""Melds of straight rummy: runs and sets, and cards that can be laid off (RB 9.1, 9.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from typing import Final

from rummy.errors import IllegalMove
from rummy.notation.cards import CARDS, RANK_LETTERS, Card, Rank, Suit, card_of, format_cards
from rummy.straight.rules import StraightRules

SHORTEST: Final = 3

Cards = tuple[Card, ...]

# Hands are represented as integers with one bit per card index.
CLUBS: Final = (1 << 13) - 1
DIAMONDS, HEARTS, SPADES = CLUBS << 13, CLUBS << 26, CLUBS << 39
ACES: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


@cache
def _runs(aces: str, corner: bool) -> dict[int, tuple[Rank, ...]]:
    """Return all runs: their ranks in order, by the bits of the ranks."""
    low = (*Rank,) if aces != "high" else (*Rank,)[1:]
    line = low if aces == "low" else (*low, Rank.ACE)
    if corner:
        line = (*Rank, *Rank)
    ways: dict[int, tuple[Rank, ...]] = {}
    for size in range(SHORTEST, len(RANK_LETTERS) + 1):
        for start in range(len(line) - size + 1):
            ranks = line[start : start + size]
            if len(set(ranks)) == size:
                ways.setdefault(_bits(ranks), ranks)
    return ways


def _bits(ranks: Iterable[Rank]) -> int:
    return sum(1 << (rank - 1) for rank in ranks)


def _runs_of(rules: StraightRules) -> dict[int, tuple[Rank, ...]]:
    return _runs(rules.aces, rules.round_the_corner)


def laid_out(cards: Sequence[Card], rules: StraightRules) -> Cards:
    """Return the cards of a meld in order, or raise `IllegalMove` with the reason.

    A low ace is the first card of a run, a high ace the last.

    >>> from rummy import parse_cards
    >>> from rummy.straight.rules import StraightRules
    >>> high = StraightRules(name="kitchen", aces="high", ace_points=15)
    >>> format_cards(laid_out(parse_cards("AH QH KH"), high))
    'QH KH AH'
    >>> laid_out(parse_cards("AH 2H 3H"), high)
    Traceback (most recent call last):
    ...
    rummy.errors.IllegalMove: AH 2H 3H do not follow one another
    """
    refusal = _why_no_meld(cards, rules)
    if refusal is not None:
        raise refusal
    ranks = {card.rank for card in cards}
    if len(ranks) == 1:
        return tuple(sorted(cards))
    by_rank = {card.rank: card for card in cards}
    order = _runs_of(rules)[_bits(rank for rank in ranks if rank is not None)]
    return tuple(by_rank[rank] for rank in order)


def _why_no_meld(cards: Sequence[Card], rules: StraightRules) -> IllegalMove | None:
    text = format_cards(cards)
    if len(cards) < SHORTEST:
        return IllegalMove("too_short", f"{text}: a meld has at least three cards")
    ranks, suits = {card.rank for card in cards}, {card.suit for card in cards}
    if None in ranks or len(set(cards)) < len(cards):
        return IllegalMove("card_not_held", f"{text}: the pack has neither jokers nor twins")
    if len(ranks) == 1:
        return None
    if len(suits) > 1 and len(ranks) < len(cards):
        return IllegalMove("mixed_ranks", f"{text} are not of one rank")
    if len(suits) > 1:
        return IllegalMove("mixed_suits", f"{text} are not of one suit")
    if _bits(rank for rank in ranks if rank is not None) not in _runs_of(rules):
        return IllegalMove("not_consecutive", f"{text} do not follow one another")
    return None


class _Runs(dict[int, tuple[Cards, ...]]):
    """The runs within cards of one suit, by the bits of these cards, computed on demand."""

    def __init__(self, suit: Suit, aces: str, corner: bool) -> None:
        self.first = CARDS.index(card_of(Rank.ACE, suit))
        self.ways = [
            (bits << self.first, tuple(card_of(rank, suit) for rank in ranks))
            for bits, ranks in _runs(aces, corner).items()
        ]

    def __missing__(self, held: int) -> tuple[Cards, ...]:
        around = (held >> self.first) * (1 | 1 << 13)  # The ranks twice: a run may pass the ace.
        has_three = around & around >> 1 & around >> 2
        ways = self.ways if has_three else ()
        self[held] = found = tuple([cards for bits, cards in ways if bits & held == bits])
        return found


@cache
def _runs_by_suit(aces: str, corner: bool) -> tuple[_Runs, ...]:
    return tuple(_Runs(suit, aces, corner) for suit in Suit)


def _sets() -> Iterator[tuple[int, tuple[Cards, ...]]]:
    """Yield the sets within three or four cards of a rank, by the bits of these cards."""
    for rank in Rank:
        cards = [card_of(rank, suit) for suit in Suit]
        for held in (*combinations(cards, 3), cards):
            ways = (combinations(held, size) for size in range(SHORTEST, len(held) + 1))
            yield sum(1 << card.index for card in held), tuple(chain.from_iterable(ways))


SETS: Final = dict(_sets())


def melds_in(hand: Iterable[Card], rules: StraightRules) -> list[Cards]:
    """Return all melds in the hand, runs by suit before sets by rank.

    >>> from rummy import parse_cards
    >>> from rummy.straight.rules import STRAIGHT
    >>> [format_cards(meld) for meld in melds_in(parse_cards("5H 6H 7H 7S 7C KD"), STRAIGHT)]
    ['5H 6H 7H', '7C 7H 7S']
    """
    held = 0
    for card in hand:
        held |= 1 << card.index
    in_clubs, in_diamonds, in_hearts, in_spades = _runs_by_suit(rules.aces, rules.round_the_corner)
    melds = [
        *in_clubs[held & CLUBS],
        *in_diamonds[held & DIAMONDS],
        *in_hearts[held & HEARTS],
        *in_spades[held & SPADES],
    ]
    clubs, diamonds, hearts, spades = held & CLUBS, held >> 13, held >> 26, held >> 39
    ranks = clubs & diamonds & (hearts | spades) | (clubs | diamonds) & hearts & spades & CLUBS
    while ranks:  # Sets of three or four cards.
        rank = ranks & -ranks
        melds += SETS[held & rank * ACES]
        ranks ^= rank
    return melds


def best_melds(hand: Iterable[Card], rules: StraightRules) -> tuple[Cards, ...]:
    """Return disjoint melds that leave the fewest points in the hand.

    >>> from rummy import parse_cards
    >>> from rummy.straight.rules import STRAIGHT
    >>> hand = parse_cards("5H 6H 7H 7S 7C 7D KD")
    >>> [format_cards(meld) for meld in best_melds(hand, STRAIGHT)]
    ['5H 6H 7H', '7C 7D 7S']
    """
    cards = frozenset(hand)
    return _best_of(cards, tuple(melds_in(cards, rules)), rules)


def _best_of(
    cards: frozenset[Card], melds: tuple[Cards, ...], rules: StraightRules
) -> tuple[Cards, ...]:
    """Return the best choice of these melds for the remaining hand."""
    best: tuple[Cards, ...] = ()
    most = 0
    for place, meld in enumerate(melds):
        if not cards.issuperset(meld):
            continue
        chosen = (meld, *_best_of(cards.difference(meld), melds[place + 1 :], rules))
        points = sum(rules.points_of(card) for each in chosen for card in each)
        if points > most:
            best, most = chosen, points
    return best


def fitting(meld: Cards, rules: StraightRules) -> frozenset[Card]:
    """Return the cards that may be laid off on a meld.

    >>> from rummy import parse_cards
    >>> from rummy.straight.rules import STRAIGHT
    >>> format_cards(sorted(fitting(parse_cards("4H 5H 6H"), STRAIGHT)))
    '3H 7H'
    """
    return _fitting(meld, rules.aces, rules.round_the_corner)


@lru_cache(maxsize=50_000)
def _fitting(meld: Cards, aces: str, corner: bool) -> frozenset[Card]:
    if meld[0].rank is meld[1].rank:
        return frozenset(CARDS[suit * 13 + meld[0].index % 13] for suit in range(4)) - set(meld)
    runs, suit = _runs(aces, corner), meld[0].index // 13
    bits = sum(1 << (card.index % 13) for card in meld)
    return frozenset(
        CARDS[suit * 13 + place]
        for place in range(13)
        if not bits >> place & 1 and bits | 1 << place in runs
    )
