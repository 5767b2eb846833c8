"""The greedy bot, of medium strength.

It takes cards that fit, keeps cards that may fit, discards expensive cards and declares as soon as
possible. It drops a dealt hand by the measured tables, sometimes a hopeless one that they leave
open, and a hand without a sequence late in the deal.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final

from rummy.bots import closing
from rummy.bots.drops import first_drop
from rummy.notation.cards import Card, Rank, Suit, by_cost, card_of, pack
from rummy.notation.moves import Discard, Draw, Drop, Meld, Move, Show
from rummy.solver.arrangement import Arrangement, best_arrangement
from rummy.thirteen.views import View

KEEP: Final = 1000
LATE: Final = 8
"""A deal is late if the stock has at most this many cards per seat."""
MUCH: Final = 15
"""A hand is dropped late if it costs this many points more than the middle drop."""
_RUNS: Final = [
    frozenset(card_of(Rank((low + step) % 13 + 1), suit) for step in range(3))
    for suit in Suit
    for low in range(12)
]
HOPELESS_TIES: Final = 28
"""A dealt hand with fewer ties (counted for both cards), no joker and no run is dropped."""


def choose(
    view: View,
    legal: Sequence[Move],
    rng: random.Random | None = None,
    totals: Sequence[int] = (),
) -> Move:
    """Return the move with the cheapest hand; `rng` only makes drops less predictable."""
    match legal[-1]:
        case Meld():
            return closing.meld(view)
        case Show(position):
            return closing.show(view) or Discard(position, _discard(view))
        case Drop() as drop if _gives_up(view, rng, totals):
            return drop
    take = [move for move in legal if isinstance(move, Draw) and move.source == "open"]
    return take[0] if take and _wants(view, view.open_pile[-1]) else legal[0]


def _solve(view: View, cards: Sequence[Card]) -> Arrangement:
    return best_arrangement(cards, wild=view.wild, rules=view.rules)


def _without(hand: Sequence[Card], card: Card) -> list[Card]:
    left = list(hand)
    left.remove(card)
    return left


def _discard(view: View) -> Card:
    """Return the discard with the cheapest rest; on a tie the loosest, then the dearest card."""
    wild, is_shut = view.wild_rank, _solve(view, view.hand).unmet is not None

    def loss(card: Card) -> tuple[int, int, int]:
        left = _without(view.hand, card)
        best = None if is_shut else _solve(view, left)
        dear = KEEP if card.is_joker(wild) else 0
        # The hand lacks a required sequence: keep runs, then cards with ties.
        if best is None or best.unmet is not None:
            return KEEP, -len(_pure_cards(left)), _ties(card, view.hand, wild) + dear
        return best.raw_points + dear, _ties(card, best.deadwood, wild), 0

    dearest_first = sorted(set(view.hand), key=by_cost)
    return min(dearest_first, key=loss)


def _wants(view: View, card: Card) -> bool:
    """Return whether the open card helps now: a joker, a new pure run, or fewer points."""
    if card.is_joker(view.wild_rank):
        return True
    now, then = _solve(view, view.hand), _solve(view, (*view.hand, card))
    if then.unmet is not None:
        runs = _pure_cards((*view.hand, card))
        return len(runs) > len(_pure_cards(view.hand))
    if now.unmet is not None:
        return True
    return card not in then.deadwood and then.raw_points < now.raw_points


def _gives_up(view: View, rng: random.Random | None, totals: Sequence[int]) -> bool:
    """Return whether to drop by the tables, else a hopeless or late hand.

    A drop that would eliminate the seat from the pool is never made.
    """
    own = next(seat for seat in view.seats if seat.position == view.position)
    rules = view.rules
    price = rules.middle_drop if own.has_drawn else rules.first_drop
    if rules.limit is not None and totals and totals[own.position - 1] + price >= rules.limit:
        return False
    measured = None if own.has_drawn else first_drop(view, totals)
    if measured is not None:
        return measured
    if any(card.is_joker(view.wild_rank) for card in view.hand):
        return False
    if _pure_cards(view.hand):
        return False
    if own.has_drawn:
        costs = sum(card.points(view.wild_rank) for card in view.hand)
        return view.stock <= LATE * len(view.seats) and costs > price + MUCH
    return _is_hopeless(view) and (rng is None or rng.random() < 0.7)


def _is_hopeless(view: View) -> bool:
    ties = sum(_ties(card, view.hand, view.wild_rank) for card in view.hand)
    return ties < HOPELESS_TIES


def _ties(card: Card, others: Sequence[Card], wild: Rank) -> int:
    """Return the number of cards that can form a group with the card; neighbours count twice."""
    tied = _tied(card)
    return sum(tied.get(other, 0) for other in others if not other.is_joker(wild))


@cache
def _tied(card: Card) -> dict[Card, int]:
    """Return the other cards that can form a group with the card, and how often each counts."""
    tied = {other: 1 for other in pack() if other.rank is card.rank}
    tied |= {other: 2 for other in pack() if other.suit is card.suit and _gap(card, other) <= 2}
    return {other: ties for other, ties in tied.items() if other is not card}


def _gap(card: Card, other: Card) -> int:
    return min((abs(a - b) for a in _places(card) for b in _places(other)), default=9)


@cache
def _places(card: Card) -> tuple[int, ...]:
    """Return the places of a card in its suit; an ace has two, a printed joker none."""
    if card.rank is None:
        return ()
    return (1, 14) if card.rank == 1 else (int(card.rank),)


def _pure_cards(hand: Sequence[Card]) -> set[Card]:
    """Return the cards that are part of a run of three in one suit."""
    held = set(hand)
    return {card for run in _RUNS if held.issuperset(run) for card in run}
