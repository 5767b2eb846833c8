"""The strong bot as it was before it priced deals, frozen to be played against.

It counts the ways its hand can still be declared, from the cards it has seen.

Seen are its own hand, the open pile and the wild card (RB 5.2). It throws what the fewest likely
ways need, of near equals what costs most and what helps the next seat least; it takes the open card
when that is worth clearly more than an unknown one; it drops hands with too few ways, fewer of them
the nearer its total is to the limit (RB 7.1).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from bench.bots.before_completions import completions
from rummy.bots import closing
from rummy.notation.cards import Card, Rank, Suit, by_cost, card_of
from rummy.notation.moves import Discard, Draw, Drop, Meld, Move, Show
from rummy.solver.arrangement import best_arrangement
from rummy.thirteen.state import full_deck
from rummy.thirteen.views import View

# Found by playing hands out against the same cards; `python -m bench.bots` shows what they do.
REACH: Final = 0.03
"""The chance that one unseen copy of a card comes by while it is of use."""
TAKE: Final = 1.6
"""How much better than now an open card must make the hand, for an unknown one helps too."""
POINT_WEIGHT: Final = 0.03
DANGER_WEIGHT: Final = 0.003
CONSIDERED: Final = 6
"""Discards that are looked at closely."""
DROP_BELOW: Final = 0.003
NEAR: Final = 80
"""From so many points below the limit on, one lost deal may be the last."""


def choose(
    view: View, legal: Sequence[Move], rng: random.Random | None = None, total: int = 0
) -> Move:
    """Return the best move by what this seat knows; `rng` is not used."""
    match legal[-1]:
        case Meld():
            return closing.meld(view)
        case Show(position):
            return closing.show(view) or Discard(position, _discard(view, total))
        case Drop() as drop if _gives_up(view, total):
            return drop
    take = [move for move in legal if isinstance(move, Draw) and move.source == "open"]
    return take[0] if take and _wants(view) else legal[0]


def unseen_cards(view: View) -> Counter[Card]:
    """Return the cards the seat cannot see, in the stock or in other hands."""
    left = Counter(full_deck(view.rules, len(view.seats)))
    left.subtract((*view.hand, *view.open_pile, view.wild))
    return +left


def danger(card: Card, unseen: Mapping[Card, int]) -> int:
    """Return with how many pairs of unseen cards another seat could make a group of this one."""
    if card.rank is None or card.suit is None:
        return 0
    suit, ways = card.suit, 0
    for low in range(max(card.rank - 2, 1), min(card.rank, 12) + 1):
        ways += _pairs(card, [card_of(_rank(low + step), suit) for step in range(3)], unseen)
    if card.rank is Rank.ACE:
        ways += _pairs(card, [card_of(_rank(low), suit) for low in (12, 13, 14)], unseen)
    same = [unseen.get(card_of(card.rank, other), 0) for other in Suit if other is not suit]
    return ways + same[0] * same[1] + same[0] * same[2] + same[1] * same[2]


def _pairs(card: Card, run: Sequence[Card], unseen: Mapping[Card, int]) -> int:
    one, other = (unseen.get(each, 0) for each in run if each is not card)
    return one * other


def _rank(place: int) -> Rank:
    return Rank((place - 1) % 13 + 1)


def _discard(view: View, total: int) -> Card:
    unseen = unseen_cards(view)
    ways = completions(view.hand, view.wild_rank, unseen, REACH)
    weight = POINT_WEIGHT * (2 if _is_near(view, total) else 1)

    def worth(card: Card) -> float:
        left = list(view.hand)
        left.remove(card)
        points = best_arrangement(left, wild=view.wild, rules=view.rules).raw_points
        hope = math.log(ways.without(card) + 1e-9)
        return hope - weight * points - DANGER_WEIGHT * danger(card, unseen)

    cards = _spare(view.hand, view)
    likely = sorted(cards, key=ways.without, reverse=True)[:CONSIDERED]
    return max(likely, key=worth)


def _spare(hand: Sequence[Card], view: View) -> list[Card]:
    """Return what may be thrown, dearest first: jokers only where there is nothing else."""
    cards = sorted(set(hand), key=by_cost)
    return [card for card in cards if not card.is_joker(view.wild_rank)] or cards


def _wants(view: View) -> bool:
    card = view.open_pile[-1]
    if card.is_joker(view.wild_rank):
        return True
    unseen = unseen_cards(view)
    now = completions(view.hand, view.wild_rank, unseen, REACH)
    hand = (*view.hand, card)
    then = completions(hand, view.wild_rank, unseen, REACH)
    return max(map(then.without, _spare(hand, view))) > TAKE * now.total


def _gives_up(view: View, total: int) -> bool:
    """Drop a hand with too little hope, but never out of the game (RB 5.4, 7.1)."""
    rules = view.rules
    own = next(seat for seat in view.seats if seat.position == view.position)
    if own.has_drawn:
        return False
    if rules.limit is not None and total + rules.first_drop >= rules.limit:
        return False
    least = DROP_BELOW * (len(view.seats) - 1) * (2 if _is_near(view, total) else 1)
    return completions(view.hand, view.wild_rank, unseen_cards(view), REACH).total < least


def _is_near(view: View, total: int) -> bool:
    limit = view.rules.limit
    return limit is not None and total > limit - NEAR
