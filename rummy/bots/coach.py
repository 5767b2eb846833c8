"""A coach: what each discard of a finished deal cost, by what its seat could know at the time.

A discard is held against the best one of the strong bot: both are priced by the chance to win the
deal afterwards and by what the hand costs if it loses, in points. The coach looks at nothing but
the seat's own view, so a card that turned out well in hindsight is no better for it.
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
    """One discard beside the best one of the same hand."""

    ply: int
    """Which move of the deal it was, 1 first."""
    position: int
    played: Card
    best: Card
    cost: float
    """The points that the best discard would have brought more on average; 0 where it was made."""
    win: float
    """The chance to win the deal after the discard that was made."""
    win_best: float

    @property
    def is_good(self) -> bool:
        """Whether the discard was as good as the best one, or nearly so."""
        return self.cost < WORTH_A_WORD


def advice(history: History, position: int) -> Iterator[Advice]:
    """Yield what the coach says of each discard of a position, in order, one at a time.

    Each takes some milliseconds, so that a caller may stop where its time runs out.

    >>> from rummy import PROFILES, parse_move
    >>> moves = tuple(map(parse_move, ("p1 ds", "p1 x 7D", "p2 drop")))
    >>> deal = History(PROFILES["total-rummy-points"], 2, bytes(32), moves=moves)
    >>> [said] = advice(deal, 1)
    >>> said.ply, str(said.played), str(said.best), said.is_good
    (2, '7D', 'KD', False)
    """
    states: Iterator[AnyDeal] = iter(history)
    for ply, (before, move) in enumerate(zip(states, history.moves, strict=False), start=1):
        if isinstance(move, Discard) and move.position == position:
            yield of_discard(before, move, ply=ply)


def of_discard(before: AnyDeal, move: Discard, *, ply: int) -> Advice:
    """Return what the coach says of one discard in the deal before it.

    >>> from rummy import PROFILES, Stream, start
    >>> deal = start(PROFILES["total-rummy-points"], players=2, stream=Stream(bytes(32)))
    >>> deal = deal.apply("p1 ds")
    >>> best = strong.discards(deal.view(1))[0].card
    >>> of_discard(deal, Discard(1, best), ply=2).cost
    0.0
    """
    ranked, best = _priced(before.view(move.position))
    played = ranked[move.card]
    if played.points > best.points:  # The bot looks closely at the most hopeful cards alone.
        best = played
    cost = best.points - played.points
    return Advice(ply, move.position, played.card, best.card, cost, played.win, best.win)


def _priced(seen: AnyView) -> tuple[dict[Card, Worth], Worth]:
    """Return what each card is worth to throw, and the one that the strong bot would."""
    if isinstance(seen, View):
        ranked = {each.card: each for each in strong.discards(seen)}
        return ranked, ranked[strong.discards(seen, strong.CONSIDERED)[0].card]
    listed = straight.discards(seen)
    return {each.card: each for each in listed}, listed[0]
