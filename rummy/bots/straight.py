"""Practice opponents for straight rummy; each plays by what its seat may see, nothing else.

The random one makes any legal move. The greedy one takes what makes or feeds a meld, lays down all
it may, and throws the card that feeds least, of equals the dearest. The strong one counts which
cards are still out: a pair that waits for cards on the table or in the open pile is worth nothing,
a card that the next seat could use is dangerous, and an expensive card is one the sooner the fewer
cards another seat holds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final, get_args

from rummy.notation.cards import CARDS, Card
from rummy.notation.moves import Discard, Draw, LayOff, Meld, Move
from rummy.straight.melds import SHORTEST, best_melds, melds_in
from rummy.straight.rules import Aces, StraightRules
from rummy.straight.views import View

# Found by playing hands out against the same cards: `python -m bench.bots --profile straight`.
HURRY: Final = 0.1
"""What a point in the hand is worth, over the fewest cards another seat holds."""
DANGER: Final = 0.2
"""What a way counts in which another seat could use the card."""
_LIKE: Final = {aces: StraightRules(name="runs", aces=aces) for aces in get_args(Aces)}


def choose_any(view: View, legal: Sequence[Move], rng: random.Random | None = None) -> Move:
    """Return any of `legal`; without a generator chance comes from the view itself."""
    rng = rng or random.Random(f"{view.hand} {view.open_pile} {view.stock}")  # noqa: S311
    return rng.choice(legal)


def choose_strong(view: View, legal: Sequence[Move]) -> Move:
    """Return the move that leaves most ways to get rid of the hand, by what the seat has seen."""
    melds = {move.groups[0]: move for move in legal if isinstance(move, Meld)}
    if melds:
        best = [meld for meld in best_melds(view.hand, view.rules) if meld in melds]
        return melds[best[0]] if best else choose(view, legal)
    discards = [move for move in legal if isinstance(move, Discard)]
    if not discards or any(isinstance(move, LayOff) for move in legal):
        return choose(view, legal)
    out = _unseen(view)
    hurry = HURRY / min(seat.cards for seat in view.seats if seat.position != view.position)

    def worth(move: Discard) -> float:
        points = view.rules.points_of(move.card)
        ways = _ways(move.card, view.hand, out, view.rules)
        danger = _ways(move.card, tuple(out), out, view.rules)
        return ways + DANGER * danger - hurry * points

    return min(discards, key=worth)


def _unseen(view: View) -> frozenset[Card]:
    """Return the cards in the stock or in other hands."""
    laid = (card for meld in view.melds for card in meld.cards)
    return frozenset(CARDS[:52]).difference(view.hand, view.open_pile, laid)


def _ways(card: Card, hand: Sequence[Card], out: frozenset[Card], rules: StraightRules) -> int:
    """Return how many melds of three the card makes with a card of the hand and one still out."""
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
    """Return the move that lays down most, or draws and throws what is best for that."""
    points = view.rules.points_of
    melds = [move for move in legal if isinstance(move, Meld)]
    if melds:
        return max(melds, key=lambda move: sum(map(points, move.groups[0])))
    lay_offs = [move for move in legal if isinstance(move, LayOff)]
    if lay_offs:
        return max(lay_offs, key=lambda move: points(move.card))
    discards = [move for move in legal if isinstance(move, Discard)]
    if discards:
        return min(
            discards,
            key=lambda move: (_ties(move.card, view.hand, view.rules), -points(move.card)),
        )
    takes = [move for move in legal if isinstance(move, Draw) and move.source == "open"]
    if takes and _wants(view, view.open_pile[-1]):
        return takes[0]
    others = [move for move in legal if move not in takes]
    return others[0] if others else legal[0]


def _wants(view: View, card: Card) -> bool:
    """Whether the open card makes a meld with the hand, or fits one that it may be laid on."""
    if any(card in meld for meld in melds_in((*view.hand, card), view.rules)):
        return True
    own = next(seat for seat in view.seats if seat.position == view.position)
    may_lay_off = view.rules.lay_off_before_meld or own.has_melded
    return may_lay_off and any(card in meld.fits for meld in view.melds)


def _ties(card: Card, hand: Sequence[Card], rules: StraightRules) -> int:
    """How many cards of the hand the card could grow a meld with: neighbours twice, ranks once."""
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
    """Where a card may stand in its suit; an ace in two places where it is high and low."""
    assert card.rank is not None, "straight rummy is played without jokers"
    if card.rank != 1:
        return (int(card.rank),)
    return {"low": (1,), "high": (14,), "both": (1, 14)}[rules.aces]
