"""Common parts of the deals' states of all families."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, Literal, Protocol, TypeVar

from rummy.errors import IllegalMove
from rummy.notation.cards import Card
from rummy.notation.moves import Discard, Draw, LayOff, Leave, Meld, Miss, Move, TurnOver

Phase = Literal["playing", "showing", "ended"]
State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Status:
    """A deal's status for the clock: phase, turn, awaited answers, whether a card is drawn."""

    phase: Phase
    to_act: int | None
    waiting: frozenset[int]
    drawn: bool
    reshuffles: int

    @property
    def on_turn(self) -> int:
        """The position whose turn it is; only for deals in play."""
        assert self.to_act is not None, f"nobody is on turn in a deal that is {self.phase}"
        return self.to_act

    @property
    def awaited(self) -> int:
        """The position whose turn it is, or the first one with an awaited answer."""
        return self.to_act or min(self.waiting)


class SeatState(Protocol):
    """The parts of a seat's state that its clock uses."""

    @property
    def is_active(self) -> bool: ...
    @property
    def misses(self) -> int: ...
    @property
    def extra_ms(self) -> int: ...


AnySeat = TypeVar("AnySeat", bound=SeatState)


class Seated(Generic[AnySeat]):
    """A deal's seats, position 1 first."""

    seats: tuple[AnySeat, ...]

    @property
    def players(self) -> int:
        return len(self.seats)

    def seat(self, position: int) -> AnySeat:
        """Return a seat by position, 1 first.

        >>> from rummy import PROFILES, Stream
        >>> from rummy.thirteen.deal import start
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> deal.seat(2) is deal.seats[1]
        True
        """
        if not 1 <= position <= len(self.seats):
            raise IllegalMove("no_such_position", f"this deal has no position {position}")
        return self.seats[position - 1]

    def seats_with(self, position: int, seat: AnySeat) -> tuple[AnySeat, ...]:
        """Return the seats with one of them replaced.

        >>> from rummy import PROFILES, Stream
        >>> from rummy.thirteen.deal import start
        >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
        >>> deal.seats_with(1, deal.seat(2)) == (deal.seat(2), deal.seat(2))
        True
        """
        return (*self.seats[: position - 1], seat, *self.seats[position:])

    @property
    def active(self) -> tuple[int, ...]:
        """The active positions, in turn order."""
        return tuple(at for at, seat in enumerate(self.seats, start=1) if seat.is_active)


def extra_ms_left(deal: Seated[AnySeat], position: int) -> int:
    """Return the position's remaining extra time in milliseconds.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> extra_ms_left(deal, 1)
    30000
    """
    return deal.seat(position).extra_ms


def misses(deal: Seated[AnySeat], position: int) -> int:
    """Return the number of turns in a row that the position has missed.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> misses(start(STRAIGHT, players=2, stream=Stream(bytes(32))), 1)
    0
    """
    return deal.seat(position).misses


def next_active(seats: Sequence[SeatState], here: int) -> int:
    """Return the next active position after `here`; the position itself if it is alone.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=3, stream=Stream(bytes(32)))
    >>> next_active(deal.apply("p1 drop").seats, 3)
    2
    """
    for place in chain(range(here, len(seats)), range(here)):
        if seats[place].is_active:
            return place + 1
    raise AssertionError("a deal that is played has active seats")


def with_less_time(deal: State, move: Move) -> State:
    """Return the deal with the move's extra time subtracted from its seat's, not below zero.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> with_less_time(deal, Miss(1, extra_ms=12_000)).seat(1).extra_ms
    18000
    """
    if move.extra_ms < 0:
        raise IllegalMove("bad_extra_time", f"{move.extra_ms} ms of extra time cannot be used")
    if not move.extra_ms:
        return deal
    assert isinstance(deal, Seated), "a deal has seats"
    seat = deal.seat(move.position)
    seat = changed(seat, extra_ms=max(0, seat.extra_ms - move.extra_ms))
    return changed(deal, seats=deal.seats_with(move.position, seat))


def thrown_by(moves: Iterable[Move], *, cards: int) -> list[int | None]:
    """Return the position that discarded each of the pile's cards, top last; None for the up-card.

    `cards` is the present size of the pile: a shuffle removes the lower ones (RB 5.7).

    >>> from rummy.notation.moves import parse_move
    >>> texts = ["p1 ds", "p1 x 7H", "p2 do", "p2 x 9C", "p1 ds", "p1 miss", "p2 turn"]
    >>> thrown_by(map(parse_move, texts[:-1]), cards=3), thrown_by(map(parse_move, texts), cards=1)
    ([None, 2, 1], [None])
    """
    pile: list[int | None] = [None]
    has_drawn: int | None = None
    for move in moves:
        if isinstance(move, Draw):
            has_drawn = move.position
            if move.source == "open":
                pile.pop()
        elif isinstance(move, TurnOver):
            del pile[1:]
        elif move.position == has_drawn and not isinstance(move, Meld | LayOff):
            if isinstance(move, Discard | Miss):  # The clock discards after a draw (RB 5.8).
                pile.append(move.position)
            has_drawn = None
    return pile[len(pile) - cards :]


def clock_move(deal: Seated[AnySeat], position: int, extra_ms: int = 0) -> Move:
    """Return the move made for a position whose time is over: a miss.

    >>> from rummy import Stream
    >>> from rummy.straight.rules import STRAIGHT
    >>> from rummy.straight.deal import start
    >>> str(clock_move(start(STRAIGHT, players=2, stream=Stream(bytes(32))), 1, 30_000))
    'p1 miss +30000'
    """
    deal.seat(position)
    return Miss(position, extra_ms=extra_ms)


def leave_move(deal: Seated[AnySeat], position: int) -> Move:
    """Return the move of a position that leaves the table.

    >>> from rummy import PROFILES, Stream
    >>> from rummy.thirteen.deal import start
    >>> deal = start(PROFILES["total-rummy-pool-101"], players=2, stream=Stream(bytes(32)))
    >>> str(leave_move(deal, 2))
    'p2 leave'
    """
    deal.seat(position)
    return Leave(position)


def changed(state: State, **changes: Any) -> State:
    """Return the state with some fields replaced, much faster than `dataclasses.replace`.

    States have no slots, so that one merged dictionary is enough.

    >>> from rummy.thirteen.state import Seat
    >>> changed(Seat(hand=(), extra_ms=30_000), misses=2).misses
    2
    """
    before = state.__dict__
    fields = before | changes
    if len(fields) != len(before):
        raise AttributeError(f"no such field of a {type(state).__name__} among {sorted(changes)}")
    new: State = object.__new__(type(state))
    object.__setattr__(new, "__dict__", fields)
    return new


def without(hand: tuple[Card, ...], cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the hand without some cards; raise `IllegalMove` for a card that is not in it.

    >>> from rummy.notation.cards import format_cards, parse_cards
    >>> format_cards(without(parse_cards("7H 8H 7H"), parse_cards("7H")))
    '7H 8H'
    """
    # Remove the last copy: the drawn card before an older equal one.
    left = list(hand[::-1])
    for card in cards:
        try:
            left.remove(card)
        except ValueError:
            raise IllegalMove("card_not_held", f"{card} is not in the hand") from None
    return tuple(left[::-1])
