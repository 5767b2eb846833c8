"""A coach that computes the cost of each discard of a finished deal from the seat's view.

A discard is compared with the strong bot's best one: both are valued in points by the chance to win
the deal afterwards and by the cost of the hand if it loses. Only the seat's own view is used, so
later luck does not change the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rummy.bots import straight, strong
from rummy.bots.strong import Worth
from rummy.families import AnyDeal, AnyView
from rummy.history.files import History
from rummy.notation.cards import Card
from rummy.notation.moves import Discard
from rummy.thirteen.views import View

WORTH_A_WORD: Final = 1.0
"""Discards that cost fewer points than this are as good as the best one."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A discard compared with the best discard of the same hand."""

    ply: int
    """The number of the move in the deal, from 1."""
    position: int
    played: Card
    best: Card
    cost: float
    """The expected gain of the best discard over the one made, in points; 0 if it was made."""
    win: float
    """The chance to win the deal after the discard made."""
    win_best: float

    @property
    def is_good(self) -> bool:
        """Whether the discard was as good as the best one, or nearly so."""
        return self.cost < WORTH_A_WORD


def advice(history: History, position: int) -> Iterator[Advice]:
    """Yield the advice on each discard of a position, in order.

    Each takes some milliseconds, so a caller can stop when its time is over.

    >>> from rummy import PROFILES, parse_move
    >>> moves = tuple(map(parse_move, ("p1 ds", "p1 x 7D", "p2 drop")))
    >>> deal = History(PROFILES["total-rummy-points"], 2, bytes(32), moves=moves)
    >>> [first] = advice(deal, 1)
    >>> first.ply, str(first.played), str(first.best), first.is_good
    (2, '7D', 'KD', False)
    """
    states: Iterator[AnyDeal] = iter(history)
    for ply, (before, move) in enumerate(zip(states, history.moves, strict=False), start=1):
        if isinstance(move, Discard) and move.position == position:
            yield of_discard(before, move, ply=ply)


def of_discard(before: AnyDeal, move: Discard, *, ply: int) -> Advice:
    """Return the advice on one discard; `before` is the deal before it.

    >>> from rummy import PROFILES, Stream, start
    >>> deal = start(PROFILES["total-rummy-points"], players=2, stream=Stream(bytes(32)))
    >>> deal = deal.apply("p1 ds")
    >>> best = strong.discards(deal.view(1))[0].card
    >>> of_discard(deal, Discard(1, best), ply=2).cost
    0.0
    """
    ranked, best = _priced(before.view(move.position))
    played = ranked[move.card]
    if played.points > best.points:  # The bot evaluates only the most promising cards closely.
        best = played
    cost = best.points - played.points
    return Advice(ply, move.position, played.card, best.card, cost, played.win, best.win)


def _priced(seen: AnyView) -> tuple[dict[Card, Worth], Worth]:
    """Return the value of each discard, and the strong bot's discard."""
    if isinstance(seen, View):
        ranked = {each.card: each for each in strong.discards(seen)}
        return ranked, ranked[strong.discards(seen, strong.CONSIDERED)[0].card]
    listed = straight.discards(seen)
    return {each.card: each for each in listed}, listed[0]
