"""Practice opponents for straight rummy, which use only their seat's view.

The random bot makes any legal move. The greedy bot takes cards that make or extend a meld, lays
down everything it may, and discards the card with the fewest ties, on a tie the dearest. The strong
bot counts unseen cards: a pair whose missing cards are on the table or in the open pile has no
value. From the number of its loose cards, their ways into melds and the others' number of cards it
estimates its chance to win, and with the points at stake the value of each discard.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache
from typing import Final, get_args

from rummy.bots.strong import Worth
from rummy.notation.cards import CARDS, Card
from rummy.notation.moves import Discard, Draw, LayOff, Meld, Move
from rummy.straight.melds import SHORTEST, best_melds, melds_in
from rummy.straight.rules import Aces, StraightRules
from rummy.straight.views import View

# Fitted to discards of deals played to the end several times from the same position.
GAIN_OF_OTHER: Final = 7.0
GAIN_OF_CARD: Final = 1.2
"""A winner's points: per opponent, and per card of opponents."""
LOSS: Final = 3.0
LOSS_OF_POINT: Final = 0.38
"""A loser's points at the end, as a function of the present points."""
_LIKE: Final = {
    aces: StraightRules(name="runs", aces=aces, ace_points=15) for aces in get_args(Aces)
}


def choose_any(view: View, legal: Sequence[Move], rng: random.Random | None = None) -> Move:
    """Return a random move of `legal`; without a generator the choice is seeded by the view."""
    rng = rng or random.Random(f"{view.hand} {view.open_pile} {view.stock}")  # noqa: S311
    return rng.choice(legal)


def choose_strong(view: View, legal: Sequence[Move]) -> Move:
    """Return the move that leaves most ways to get rid of the hand, by the cards seen."""
    melds = {move.groups[0]: move for move in legal if isinstance(move, Meld)}
    if melds:
        best = [meld for meld in best_melds(view.hand, view.rules) if meld in melds]
        return melds[best[0]] if best else choose(view, legal)
    may_throw = [move for move in legal if isinstance(move, Discard)]
    if not may_throw or any(isinstance(move, LayOff) for move in legal):
        return choose(view, legal)
    thrown = discards(view)[0].card
    return next(move for move in may_throw if move.card is thrown)


def discards(view: View) -> list[Worth]:
    """Return the value of each possible discard, the best first.

    Complete melds in the hand count as laid down; of the other cards, those that can form melds
    with unseen cards are worth keeping.

    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.straight.deal import start
    >>> from rummy.straight.rules import STRAIGHT
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32))).apply("p1 ds")
    >>> str(discards(deal.view(1))[0].card)
    'JS'
    """
    rules, out = view.rules, _unseen(view)
    others = [seat.cards for seat in view.seats if seat.position != view.position and seat.cards]
    gain = GAIN_OF_OTHER * len(others) + GAIN_OF_CARD * sum(others)

    def worth(card: Card) -> Worth:
        left = [other for other in view.hand if other is not card]
        melded = {other for meld in best_melds(left, rules) for other in meld}
        rest = tuple(other for other in left if other not in melded)
        ways = sum(_ways(other, rest, out, rules) for other in rest)
        win = _chance(len(rest), ways, others)
        loss = LOSS + LOSS_OF_POINT * sum(map(rules.points_of, rest))
        return Worth(card, win * gain - (1 - win) * loss, win)

    may_go = [card for card in view.hand if rules.may_discard_taken or card is not view.taken]
    priced = map(worth, sorted(may_go, key=rules.points_of, reverse=True))
    return sorted(priced, key=lambda each: each.points, reverse=True)


def _chance(cards: int, ways: int, others: Sequence[int]) -> float:
    """Return the chance to win with these loose cards, ways, and numbers of the others' cards."""
    logit = -0.08 - 0.72 * math.log(max(len(others), 1)) - 0.33 * cards + 0.074 * ways
    return 1 / (1 + math.exp(-logit - 0.19 * min(others, default=0)))


def _unseen(view: View) -> frozenset[Card]:
    """Return the cards in the stock or in other hands."""
    laid = (card for meld in view.melds for card in meld.cards)
    return frozenset(CARDS[:52]).difference(view.hand, view.open_pile, laid)


def _ways(card: Card, hand: Sequence[Card], out: frozenset[Card], rules: StraightRules) -> int:
    """Return the number of melds of the card, another one of the hand and an unseen one."""
    held = frozenset(hand) - {card}
    known = held | out
    thirds = _thirds(card, rules.aces, rules.round_the_corner)
    return sum(rest <= known and not held.isdisjoint(rest) for rest in thirds)


@cache
def _thirds(card: Card, aces: str, corner: bool) -> tuple[frozenset[Card], ...]:
    """Return the pairs of cards that make a meld of three with this one."""
    rules = _LIKE[aces].with_(round_the_corner=True) if corner else _LIKE[aces]
    same = [other for other in CARDS[:52] if other.rank is card.rank or other.suit is card.suit]
    return tuple(
        frozenset(meld) - {card}
        for meld in melds_in(same, rules)
        if len(meld) == SHORTEST and card in meld
    )


def choose(view: View, legal: Sequence[Move]) -> Move:
    """Return the move that lays down most, or else the best draw or discard."""
    points = view.rules.points_of
    melds = [move for move in legal if isinstance(move, Meld)]
    if melds:
        return max(melds, key=lambda move: sum(map(points, move.groups[0])))
    lay_offs = [move for move in legal if isinstance(move, LayOff)]
    if lay_offs:
        return max(lay_offs, key=lambda move: points(move.card))
    may_throw = [move for move in legal if isinstance(move, Discard)]
    if may_throw:
        return min(
            may_throw,
            key=lambda move: (_ties(move.card, view.hand, view.rules), -points(move.card)),
        )
    takes = [move for move in legal if isinstance(move, Draw) and move.source == "open"]
    if takes and _wants(view, view.open_pile[-1]):
        return takes[0]
    others = [move for move in legal if move not in takes]
    return others[0] if others else legal[0]


def _wants(view: View, card: Card) -> bool:
    """Return whether the open card makes a meld with the hand or can be laid off."""
    if any(card in meld for meld in melds_in((*view.hand, card), view.rules)):
        return True
    own = next(seat for seat in view.seats if seat.position == view.position)
    may_lay_off = view.rules.lay_off_before_meld or own.has_melded
    return may_lay_off and any(card in meld.fits for meld in view.melds)


def _ties(card: Card, hand: Sequence[Card], rules: StraightRules) -> int:
    """Return the number of cards that can form a meld with the card; neighbours count twice."""
    ties = 0
    for other in hand:
        if other is card:
            continue
        if other.rank is card.rank:
            ties += 1
        elif other.suit is card.suit:
            gaps = [abs(a - b) for a in _places(card, rules) for b in _places(other, rules)]
            ties += 2 if min(gaps) <= 2 else 0
    return ties


def _places(card: Card, rules: StraightRules) -> tuple[int, ...]:
    """Return the places of a card in its suit; an ace has two if it is high and low."""
    assert card.rank is not None, "straight rummy is played without jokers"
    if card.rank != 1:
        return (int(card.rank),)
    return {"low": (1,), "high": (14,), "both": (1, 14)}[rules.aces]
