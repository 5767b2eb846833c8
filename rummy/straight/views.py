"""Views of a deal of straight rummy, the only data that may be sent to players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rummy.notation.cards import Card, format_cards
from rummy.notation.moves import Move
from rummy.notation.states import Phase, Status
from rummy.straight.endings import Outcome, outcome
from rummy.straight.rules import StraightRules
from rummy.straight.state import DealState, TableMeld
from rummy.straight.turns import after_drawing, before_drawing


@dataclass(frozen=True, slots=True)
class SeatView:
    """The public part of a position."""

    position: int
    standing: str
    """active, won or left."""
    cards: int
    has_melded: bool
    has_laid: bool
    misses: int
    extra_ms_left: int


@dataclass(frozen=True, slots=True)
class View:
    """A deal as seen by a position, or by a spectator (`position` None)."""

    rules: StraightRules
    position: int | None
    phase: Phase
    stock: int
    """The number of cards in the stock."""
    open_pile: tuple[Card, ...]
    melds: tuple[TableMeld, ...]
    to_act: int | None
    has_drawn: bool
    """Whether the position to act has drawn."""
    drawn_from: Literal["stock", "open"] | None
    taken: Card | None
    """The card that the position to act took from the open pile, which is public."""
    melds_this_turn: int
    refills: int
    seats: tuple[SeatView, ...]
    hand: tuple[Card, ...]
    """The viewer's own cards, the drawn one last; empty for a spectator."""
    drawn: Card | None
    """The card the viewer has just drawn."""
    outcome: Outcome | None
    """The results of all positions once the deal is over."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the viewer's legal moves, melds with their cards.

        >>> from rummy import Stream
        >>> from rummy.straight.rules import STRAIGHT
        >>> from rummy.straight.deal import start
        >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
        >>> [str(move) for move in view(deal, 1).legal_moves()], view(deal, 2).legal_moves()
        (['p1 ds', 'p1 do'], ())
        """
        position = self.position
        if position is None or self.to_act != position:
            return ()
        if self.drawn is None:
            return before_drawing(position, self.rules, self.stock, len(self.open_pile))
        has_melded = self.seats[position - 1].has_melded
        return after_drawing(position, self, self.hand, has_melded)

    def __str__(self) -> str:
        whose = "a spectator" if self.position is None else f"p{self.position}"
        turn = "" if self.to_act is None else f", p{self.to_act} on turn"
        top = self.open_pile[-1] if self.open_pile else "-"
        lines = [
            f"{self.rules.name}, {self.phase}, seen by {whose}{turn}",
            f"open {top}, {self.stock} cards in the stock",
        ]
        lines += [f"meld {no} {format_cards(m.cards)}" for no, m in enumerate(self.melds, start=1)]
        lines += [f"p{seat.position} {seat.standing}, {seat.cards} cards" for seat in self.seats]
        return "\n".join([*lines, format_cards(sorted(self.hand))]).rstrip()


def view(deal: DealState, position: int | None) -> View:
    """Return the view of a position, or of a spectator if it is None.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> view(deal, 2).hand == deal.seats[1].hand, view(deal, 2).stock
    (True, 31)
    """
    own = None if position is None else deal.seat(position)
    return View(
        rules=deal.rules,
        position=position,
        phase=deal.phase,
        stock=len(deal.stock),
        open_pile=deal.pile,
        melds=deal.melds,
        to_act=deal.to_act,
        has_drawn=deal.drawn is not None,
        drawn_from=deal.drawn_from,
        taken=deal.taken,
        melds_this_turn=deal.melds_this_turn,
        refills=deal.refills,
        seats=tuple(_seat_view(deal, at) for at in range(1, deal.players + 1)),
        hand=own.hand if own else (),
        drawn=deal.drawn if own and deal.to_act == position else None,
        outcome=outcome(deal),
    )


def public_view(deal: DealState) -> View:
    """Return the view of a spectator: public cards only.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> public_view(deal).hand, public_view(deal).open_pile == deal.pile
    ((), True)
    """
    return view(deal, None)


def _seat_view(deal: DealState, position: int) -> SeatView:
    seat = deal.seat(position)
    return SeatView(
        position=position,
        standing="won" if position == deal.winner else seat.standing,
        cards=len(seat.hand),
        has_melded=seat.has_melded,
        has_laid=seat.has_laid or (deal.laid_this_turn and deal.to_act == position),
        misses=seat.misses,
        extra_ms_left=seat.extra_ms,
    )


def status(deal: DealState) -> Status:
    """Return the deal's phase, turn and awaited positions.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> deal = start(STRAIGHT, players=2, stream=Stream(bytes(32)))
    >>> status(deal)
    Status(phase='playing', to_act=1, waiting=frozenset(), drawn=False, reshuffles=0)
    """
    return Status(deal.phase, deal.to_act, frozenset(), deal.drawn is not None, deal.refills)


def window_seconds(_deal: DealState) -> int:
    """Return 0: straight rummy has no shows to answer.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> window_seconds(start(STRAIGHT, players=2, stream=Stream(bytes(32))))
    0
    """
    return 0
