"""Views of a deal, the only data that may be sent to players."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from rummy.notation.cards import CARDS, Card, Rank, format_cards
from rummy.notation.moves import Discard, Draw, Drop, Meld, Move, Show
from rummy.notation.rules import Rules
from rummy.notation.states import Phase, Status
from rummy.thirteen.endings import Outcome, outcome
from rummy.thirteen.state import DealState
from rummy.thirteen.turns import why_not_open

POSITIONS: Final = range(1, 7)
DISCARDS: Final = {
    position: tuple(Discard(position, card) for card in CARDS) for position in POSITIONS
}
SHOWS: Final = {
    position: tuple(Show(position, finish=card) for card in CARDS) for position in POSITIONS
}


@dataclass(frozen=True, slots=True)
class SeatView:
    """The public part of a position."""

    position: int
    standing: str
    """active, melded (answered in the window), won, first_drop, middle_drop, wrong_show."""
    cards: int
    misses: int
    extra_ms_left: int
    has_drawn: bool
    reasons: tuple[str, ...]
    """Why the position's show was wrong."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A valid show, visible to all."""

    position: int
    groups: tuple[tuple[Card, ...], ...]
    finish: Card


@dataclass(frozen=True, slots=True)
class View:
    """A deal as seen by a position, or by a spectator (`position` None)."""

    rules: Rules
    position: int | None
    phase: Phase
    wild: Card
    wild_rank: Rank
    stock: int
    """The number of cards in the stock."""
    open_pile: tuple[Card, ...]
    to_act: int | None
    waiting: frozenset[int]
    has_drawn: bool
    """Whether the position to act has drawn."""
    drawn_from: Literal["stock", "open"] | None
    reshuffles: int
    seats: tuple[SeatView, ...]
    shown: Shown | None
    hand: tuple[Card, ...]
    """The viewer's own cards, the drawn one last; empty for a spectator."""
    drawn: Card | None
    """The card the viewer has just drawn."""
    outcome: Outcome | None
    """The results of all positions once the deal is over."""
    has_first_upcard: bool
    """Whether the first up-card is still on top of the open pile (RB 5.3)."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the viewer's legal moves; see `legal_moves`.

        >>> from rummy import PROFILES, Stream
        >>> from rummy.thirteen.deal import start
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> [str(move) for move in view(deal, 1).legal_moves()], view(deal, 2).legal_moves()
        (['p1 ds', 'p1 do', 'p1 drop'], ())
        """
        if self.position is None:
            return ()
        return _legal_moves(self, self.position, self.hand, self.open_pile, self.stock > 0)

    def __str__(self) -> str:
        whose = "a spectator" if self.position is None else f"p{self.position}"
        turn = "" if self.to_act is None else f", p{self.to_act} on turn"
        top = self.open_pile[-1] if self.open_pile else "-"
        lines = [
            f"{self.rules.name}, {self.phase}, seen by {whose}{turn}",
            f"wild {self.wild}, open {top}, {self.stock} cards in the stock",
        ]
        lines += [f"p{seat.position} {seat.standing}" for seat in self.seats]
        return "\n".join([*lines, format_cards(sorted(self.hand))]).rstrip()


def view(deal: DealState, position: int | None) -> View:
    """Return the view of a position, or of a spectator if it is None.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> view(deal, 2).hand == deal.seats[1].hand, view(deal, 2).stock
    (True, 78)
    """
    own = None if position is None else deal.seat(position)
    shown = None
    if deal.ending == "show" and deal.winner is not None and deal.finish is not None:
        shown = Shown(deal.winner, deal.seat(deal.winner).groups or (), deal.finish)
    return View(
        rules=deal.rules,
        position=position,
        phase=deal.phase,
        wild=deal.wild,
        wild_rank=deal.wild_rank,
        stock=len(deal.stock),
        open_pile=deal.pile,
        to_act=deal.to_act,
        waiting=deal.waiting,
        has_drawn=deal.drawn is not None,
        drawn_from=deal.drawn_from,
        reshuffles=deal.reshuffles,
        seats=tuple(_seat_view(deal, at) for at in range(1, deal.players + 1)),
        shown=shown,
        hand=own.hand if own else (),
        drawn=deal.drawn if own and deal.to_act == position else None,
        outcome=outcome(deal),
        has_first_upcard=deal.has_first_upcard,
    )


def public_view(deal: DealState) -> View:
    """Return the view of a spectator: public cards only.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> public_view(deal).hand, public_view(deal).open_pile == deal.pile
    ((), True)
    """
    return view(deal, None)


def _seat_view(deal: DealState, position: int) -> SeatView:
    seat = deal.seat(position)
    standing: str = seat.standing
    if seat.is_active and position == deal.winner:
        standing = "won"
    elif seat.is_active and deal.ending == "show" and position not in deal.waiting:
        standing = "melded"
    return SeatView(
        position=position,
        standing=standing,
        cards=len(seat.hand) if seat.is_active else 0,
        misses=seat.misses,
        extra_ms_left=seat.extra_ms,
        has_drawn=seat.has_drawn,
        reasons=seat.reasons,
    )


def status(deal: DealState) -> Status:
    """Return the deal's phase, turn and awaited positions.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> status(deal)
    Status(phase='playing', to_act=1, waiting=frozenset(), drawn=False, reshuffles=0)
    """
    return Status(deal.phase, deal.to_act, deal.waiting, deal.drawn is not None, deal.reshuffles)


def legal_moves(deal: DealState, position: int) -> tuple[Move, ...]:
    """Return the legal moves of the position.

    There is one `Show` and one `Meld`, without groups and with the drawn card as the finish card;
    the player replaces the groups and may replace the finish card.

    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> [str(move) for move in legal_moves(deal, 1)], legal_moves(deal, 2)
    (['p1 ds', 'p1 do', 'p1 drop'], ())
    """
    hand = deal.seat(position).hand
    return _legal_moves(deal, position, hand, deal.pile, bool(deal.stock))


def _legal_moves(
    now: DealState | View,
    position: int,
    hand: tuple[Card, ...],
    pile: tuple[Card, ...],
    has_stock: bool,
) -> tuple[Move, ...]:
    if now.to_act != position:
        return (Meld(position),) if position in now.waiting else ()
    if now.drawn is not None:
        discards, held = DISCARDS[position], sorted({card.index for card in hand})
        return (*[discards[index] for index in held], SHOWS[position][now.drawn.index])
    may_take = why_not_open(pile, now.wild_rank, now.rules, now.has_first_upcard) is None
    return _before_drawing(position, has_stock, may_take, now.rules.drops_allowed)


@cache
def _before_drawing(position: int, stock: bool, pile: bool, drop: bool) -> tuple[Move, ...]:
    ways = (
        (stock, Draw(position, "stock")),
        (pile, Draw(position, "open")),
        (drop, Drop(position)),
    )
    return tuple(move for is_possible, move in ways if is_possible)


def window_seconds(deal: DealState) -> int:
    """Return the seconds in which the others may answer a show (RB 5.6).

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> window_seconds(deal)
    30
    """
    return deal.rules.meld_seconds
