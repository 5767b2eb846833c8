"""The strong bot: makes the move with the highest expected value.

It counts the ways in which its hand can still be declared, given the cards it has seen: its own,
the open pile and the wild card (RB 5.2). From these follow the chance to win and, with the price of
the hand, the value of the deal (`prospects`, `stakes`): in points, or in a pool by all totals. It
discards the card that leaves the highest value, takes the open card if that is clearly better than
an unknown one, and drops if playing on is worth less than the drop costs (RB 5.4): a dealt hand by
the measured tables, else by the estimate.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from rummy.bots import closing
from rummy.bots.drops import first_drop
from rummy.bots.prospects import Situation, own_seat, situation
from rummy.bots.stakes import PointStakes, played_on, stakes_of
from rummy.notation.cards import Card, Rank, Suit, by_cost, card_of
from rummy.notation.moves import Discard, Draw, Drop, Meld, Move, Show
from rummy.thirteen.views import View

# Found by playing deals with the same cards; `python -m bench.bots` measures their effect.
TAKE: Final = 1.6
"""The minimum gain of taking the open card, because an unknown card helps too."""
DANGER_WEIGHT: Final = 0.03
"""The cost in points of a discard for each pair of unseen cards that it completes to a group."""
CONSIDERED: Final = 6
"""The number of discards that are evaluated closely."""


class Worth(NamedTuple):
    """The value of a discard."""

    card: Card
    points: float
    """The expected value of the deal after it, in points."""
    win: float
    """The chance to win the deal."""


def choose(
    view: View,
    legal: Sequence[Move],
    rng: random.Random | None = None,
    totals: Sequence[int] = (),
) -> Move:
    """Return the best move by the seat's view; `rng` is not used."""
    match legal[-1]:
        case Meld():
            return closing.meld(view)
        case Show(position):
            return closing.show(view) or Discard(position, discards(view, CONSIDERED)[0].card)
        case Drop() as drop if _gives_up(situation(view), totals):
            return drop
    take = [move for move in legal if isinstance(move, Draw) and move.source == "open"]
    return take[0] if take and _wants(situation(view)) else legal[0]


def discards(view: View, considered: int | None = None) -> list[Worth]:
    """Return the value of each discard of 14 cards, the best first.

    Only the `considered` most promising ones are evaluated, by default all; jokers are discarded
    only if there is no other card.
    """
    now = situation(view)
    ways, gain = now.completions(view.hand), PointStakes(now).won()

    def worth(card: Card) -> Worth:
        left = list(view.hand)
        left.remove(card)
        # The ways distinguish cards that stand for themselves, but not jokers.
        is_joker = card.is_joker(view.wild_rank)
        rest = now.completions(left).total if is_joker else ways.without(card)
        win, loss = now.prospects(left, rest)
        points = win * gain - (1 - win) * loss
        return Worth(card, points - DANGER_WEIGHT * danger(card, now.unseen), win)

    cards = _spare(view.hand, view) if considered else sorted(set(view.hand), key=by_cost)
    hopeful = sorted(cards, key=ways.without, reverse=True)[:considered]
    return sorted(map(worth, hopeful), key=lambda each: each.points, reverse=True)


def danger(card: Card, unseen: Mapping[Card, int]) -> int:
    """Return the number of pairs of unseen cards with which another seat can use this card."""
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


def _spare(hand: Sequence[Card], view: View) -> list[Card]:
    """Return the possible discards, dearest first; jokers only if there is no other card."""
    cards = sorted(set(hand), key=by_cost)
    return [card for card in cards if not card.is_joker(view.wild_rank)] or cards


def _wants(now: Situation) -> bool:
    view = now.view
    card = view.open_pile[-1]
    if card.is_joker(view.wild_rank):
        return True
    hand = (*view.hand, card)
    then = now.completions(hand)
    return max(map(then.without, _spare(hand, view))) > TAKE * now.completions(view.hand).total


def _gives_up(now: Situation, totals: Sequence[int]) -> bool:
    """Return whether playing on is worth less than dropping now."""
    view, has_drawn = now.view, own_seat(now.view).has_drawn
    measured = None if has_drawn else first_drop(view, totals)
    if measured is not None:
        return measured
    stakes, price = stakes_of(now, totals), view.rules.first_drop
    if has_drawn:
        price = view.rules.middle_drop
    prospects = now.prospects(view.hand, now.completions(view.hand).total)
    return played_on(stakes, prospects, view.rules.cap) < stakes.lost(price)
