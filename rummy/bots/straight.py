"""Practice opponents for straight rummy; each plays by what its seat may see, nothing else.

The random one makes any legal move. The greedy one takes what makes or feeds a meld, lays down all
it may, and throws the card that feeds least, of equals the dearest. No stronger one exists yet.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from rummy.notation.cards import Card
from rummy.notation.moves import Discard, Draw, LayOff, Meld, Move
from rummy.straight.melds import fitting, melds_in
from rummy.straight.rules import StraightRules
from rummy.straight.views import View


def choose_any(view: View, legal: Sequence[Move], rng: random.Random | None = None) -> Move:
    """Return any of `legal`; without a generator chance comes from the view itself."""
    rng = rng or random.Random(f"{view.hand} {view.open_pile} {view.stock}")  # noqa: S311
    return rng.choice(legal)


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
    return may_lay_off and any(card in fitting(meld.cards, view.rules) for meld in view.melds)


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
