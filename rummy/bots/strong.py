"""The strong bot: plays what is worth most by the chance to win and the price of losing.

It counts the ways its hand can still be declared, from the cards it has seen: its own, the open
pile and the wild card (RB 5.2). From them come the chance to win and, with the price of the hand,
what the deal is worth (`prospects`, `stakes`): in points, in a pool by everybody's totals. It
throws the card that leaves most, takes the open card when that is worth clearly more than an
unknown one, and drops, first or in the middle of a deal, when playing on is worth less than what
the drop costs (RB 5.4).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from rummy.bots import closing
from rummy.bots.prospects import Situation, own_seat, situation
from rummy.bots.stakes import PointStakes, played_on, stakes_of
from rummy.notation.cards import Card, Rank, Suit, by_cost, card_of
from rummy.notation.moves import Discard, Draw, Drop, Meld, Move, Show
from rummy.thirteen.views import View

# Found by playing hands out against the same cards; `python -m bench.bots` shows what they do.
TAKE: Final = 1.6
"""How much better than now an open card must make the hand, for an unknown one helps too."""
DANGER_WEIGHT: Final = 0.03
"""What it costs, in points, to throw a card that makes a group with one pair of unseen cards."""
CONSIDERED: Final = 6
"""Discards that are looked at closely."""


class Worth(NamedTuple):
    """What it is worth to throw a card."""

    card: Card
    points: float
    """What the deal then brings on average, in points."""
    win: float
    """The chance to win it."""


def choose(
    view: View,
    legal: Sequence[Move],
    rng: random.Random | None = None,
    totals: Sequence[int] = (),
) -> Move:
    """Return the best move by what this seat knows; `rng` is not used."""
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
    """Return what each card of 14 is worth to throw, the best first.

    Only the most hopeful are `considered`, all where nothing is said; jokers stay where anything
    else may go.
    """
    now = situation(view)
    ways, gain = now.completions(view.hand), PointStakes(now).won()

    def worth(card: Card) -> Worth:
        left = list(view.hand)
        left.remove(card)
        # The ways name the cards that stand for themselves, and jokers by their number alone.
        is_joker = card.is_joker(view.wild_rank)
        rest = now.completions(left).total if is_joker else ways.without(card)
        win, loss = now.prospects(left, rest)
        points = win * gain - (1 - win) * loss
        return Worth(card, points - DANGER_WEIGHT * danger(card, now.unseen), win)

    cards = _spare(view.hand, view) if considered else sorted(set(view.hand), key=by_cost)
    hopeful = sorted(cards, key=ways.without, reverse=True)[:considered]
    return sorted(map(worth, hopeful), key=lambda each: each.points, reverse=True)


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


def _spare(hand: Sequence[Card], view: View) -> list[Card]:
    """Return what may be thrown, dearest first: jokers only where there is nothing else."""
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
    """Return whether playing on is worth less than dropping, at the price of this moment."""
    view, stakes = now.view, stakes_of(now, totals)
    price = view.rules.middle_drop if own_seat(view).has_drawn else view.rules.first_drop
    prospects = now.prospects(view.hand, now.completions(view.hand).total)
    return played_on(stakes, prospects, view.rules.cap) < stakes.lost(price)
