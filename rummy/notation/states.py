"""What the states of deals share, whichever family plays them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from rummy.errors import IllegalMove
from rummy.notation.cards import Card

Phase = Literal["playing", "showing", "ended"]
State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Status:
    """Where a deal stands, for the clock: whose turn, whose answer, what is drawn."""

    phase: Phase
    to_act: int | None
    waiting: frozenset[int]
    drawn: bool
    reshuffles: int

    @property
    def on_turn(self) -> int:
        """The position whose turn it is; only a deal that is played has one."""
        assert self.to_act is not None, f"nobody is on turn in a deal that is {self.phase}"
        return self.to_act

    @property
    def awaited(self) -> int:
        """The position whose turn it is, or the first one whose answer is awaited."""
        return self.to_act or min(self.waiting)


def changed(state: State, **changes: Any) -> State:
    """Return the state with some fields replaced: `dataclasses.replace`, many times as fast.

    States have no slots, so that they copy as one dictionary.

    >>> from rummy.thirteen.state import Seat
    >>> changed(Seat(hand=(), extra_ms=30_000), misses=2).misses
    2
    """
    new: State = object.__new__(type(state))
    fields = new.__dict__
    fields.update(state.__dict__)
    fields.update(changes)
    if len(fields) != len(state.__dict__):
        raise AttributeError(f"no such field of a {type(state).__name__} among {sorted(changes)}")
    return new


def without(hand: tuple[Card, ...], cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the hand without some of its cards, refusing a card that is not in it.

    >>> from rummy.notation.cards import format_cards, parse_cards
    >>> format_cards(without(parse_cards("7H 8H 7H"), parse_cards("7H")))
    '7H 8H'
    """
    # The last copy goes: a card drawn a moment ago leaves before its older twin.
    left = list(hand[::-1])
    for card in cards:
        try:
            left.remove(card)
        except ValueError:
            raise IllegalMove("card_not_held", f"{card} is not in the hand") from None
    return tuple(left[::-1])
