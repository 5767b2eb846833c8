"""Families of rummy behind one protocol, so that a table never asks which it plays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol, TypeAlias, TypeVar

from rummy import thirteen
from rummy.notation.moves import Move
from rummy.notation.rules import Rules
from rummy.notation.shuffle import Stream
from rummy.thirteen import Deal, Outcome, Status, View

State = TypeVar("State")


class Family(Protocol[State]):
    """The functions that play deals of one family; `State` is what a deal is for it.

    A package of functions is one: `rummy.thirteen` plays `thirteen.Deal`.
    """

    def start(self, rules: Rules, *, players: int, stream: Stream) -> State:
        """Return a deal just dealt."""

    def apply(self, deal: State, move: Move, /) -> State:
        """Return the deal after the move, or raise `IllegalMove`."""

    def legal_moves(self, deal: State, position: int) -> tuple[Move, ...]:
        """Return the moves a position may make now; those with groups stand there without."""

    def view(self, deal: State, position: int) -> View:
        """Return the deal as a position sees it."""

    def public_view(self, deal: State) -> View:
        """Return the deal as a spectator sees it."""

    def status(self, deal: State) -> Status:
        """Return where the deal stands."""

    def outcome(self, deal: State) -> Outcome | None:
        """Return what the deal came to, or None while it is played."""

    def clock_move(self, deal: State, position: int, extra_ms: int = 0) -> Move:
        """Return what the clock plays for a position out of time."""

    def leave_move(self, deal: State, position: int) -> Move:
        """Return the move of a position that leaves the table."""

    def extra_ms_left(self, deal: State, position: int) -> int:
        """Return what is left of the position's extra time, in milliseconds."""

    def misses(self, deal: State, position: int) -> int:
        """Return how many turns in a row the position has missed."""

    def thrown_by(self, moves: Iterable[Move], *, cards: int) -> list[int | None]:
        """Return who threw each card of the open pile."""


# What a deal may be: one state so far, a union once there is another family.
AnyDeal: TypeAlias = Deal

FAMILIES: Final[dict[str, Family[AnyDeal]]] = {"thirteen": thirteen}


def family_of(rules: Rules) -> Family[AnyDeal]:
    """Return the family that plays deals by these rules.

    >>> from rummy.notation.profiles import PROFILES
    >>> family_of(PROFILES["total-rummy-pool-101"]) is thirteen
    True
    """
    return FAMILIES[rules.family]
