"""What may be seen of a deal: the only thing that leaves the server for a player."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rummy.notation.cards import CARDS, Card, Rank
from rummy.notation.moves import Discard, Draw, Drop, Meld, Move, Show
from rummy.notation.rules import Rules
from rummy.notation.states import Phase, Status
from rummy.thirteen.endings import Outcome, outcome
from rummy.thirteen.state import Deal
from rummy.thirteen.turns import why_not_open

POSITIONS: Final = range(1, 7)
DISCARDS: Final = {
    position: tuple(Discard(position, card) for card in CARDS) for position in POSITIONS
}


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody sees of a position."""

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
    """A valid show, open on the table."""

    position: int
    groups: tuple[tuple[Card, ...], ...]
    finish: Card


@dataclass(frozen=True, slots=True)
class View:
    """A deal as one position sees it, or as a spectator does (`position` None)."""

    rules: Rules
    position: int | None
    phase: Phase
    wild: Card
    wild_rank: Rank
    stock: int
    """How many cards lie in the stock, never which."""
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
    """Everybody's result once the deal is over."""


def view(deal: Deal, position: int) -> View:
    """Return the deal as the position sees it.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.state import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> view(deal, 2).hand == deal.seats[1].hand, view(deal, 2).stock
    (True, 78)
    """
    return _view(deal, position)


def public_view(deal: Deal) -> View:
    """Return the deal as a spectator sees it: public cards only.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.state import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> public_view(deal).hand, public_view(deal).open_pile == deal.pile
    ((), True)
    """
    return _view(deal, None)


def _view(deal: Deal, position: int | None) -> View:
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
    )


def _seat_view(deal: Deal, position: int) -> SeatView:
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


def status(deal: Deal) -> Status:
    """Return where the deal stands.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.state import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> status(deal)
    Status(phase='playing', to_act=1, waiting=frozenset(), drawn=False, reshuffles=0)
    """
    return Status(deal.phase, deal.to_act, deal.waiting, deal.drawn is not None, deal.reshuffles)


def legal_moves(deal: Deal, position: int) -> tuple[Move, ...]:
    """Return the moves the position may make now.

    There is one `Show` and one `Meld`, without groups and with the drawn card as the finish card:
    legal as they stand, but it is for the player to replace both.

    >>> from rummy.notation.profiles import PROFILES
    >>> from rummy.notation.shuffle import Stream
    >>> from rummy.thirteen.state import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> [str(move) for move in legal_moves(deal, 1)], legal_moves(deal, 2)
    (['p1 ds', 'p1 do', 'p1 drop'], ())
    """
    seat = deal.seat(position)
    if position in deal.waiting:
        return (Meld(position),)
    if deal.phase != "playing" or deal.to_act != position:
        return ()
    if deal.drawn is not None:
        held = sorted({card.index for card in seat.hand})
        discards = DISCARDS[position]
        return (*[discards[index] for index in held], Show(position, finish=deal.drawn))
    moves: list[Move] = [Draw(position, "stock")] if deal.stock else []
    if why_not_open(deal) is None:
        moves.append(Draw(position, "open"))
    if deal.rules.drops_allowed:
        moves.append(Drop(position))
    return tuple(moves)


def window_seconds(deal: Deal) -> int:
    """Return how long the others may answer a show (RB 5.6).

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.state import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> window_seconds(deal)
    30
    """
    return deal.rules.meld_seconds
