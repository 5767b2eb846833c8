"""Families of rummy with a common protocol, so that callers need not distinguish them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias, TypeVar, cast, overload

from rummy import straight, thirteen
from rummy.errors import RulesError
from rummy.notation import profiles
from rummy.notation.house_rules import HouseRules
from rummy.notation.moves import Move
from rummy.notation.rules import Rules
from rummy.notation.shuffle import Stream
from rummy.notation.states import Status
from rummy.straight import StraightRules

RulesT_contra = TypeVar("RulesT_contra", bound=HouseRules, contravariant=True)
State = TypeVar("State")
ViewT_co = TypeVar("ViewT_co", covariant=True)
OutcomeT_co = TypeVar("OutcomeT_co", covariant=True)


class Family(Protocol[RulesT_contra, State, ViewT_co, OutcomeT_co]):
    """The functions of a family; `State` is its class of deals.

    Packages implement it with their functions: `rummy.thirteen` plays `thirteen.Deal`.
    """

    def start(self, rules: RulesT_contra, *, players: int, stream: Stream) -> State:
        """Return a new deal."""

    def apply(self, deal: State, move: Move, /) -> State:
        """Return the deal after the move, or raise `IllegalMove`."""

    def legal_moves(self, deal: State, position: int) -> tuple[Move, ...]:
        """Return the moves a position may make now.

        A show, and a meld in the window after one, are listed without groups.
        """

    def view(self, deal: State, position: int | None) -> ViewT_co:
        """Return the deal as a position sees it, or a spectator if it is None."""

    def public_view(self, deal: State) -> ViewT_co:
        """Return the deal as a spectator sees it."""

    def status(self, deal: State) -> Status:
        """Return the deal's phase, turn and awaited positions."""

    def outcome(self, deal: State) -> OutcomeT_co | None:
        """Return the deal's result, or None while it is played."""

    def clock_move(self, deal: State, position: int, extra_ms: int = 0) -> Move:
        """Return the move made for a position whose time is over."""

    def leave_move(self, deal: State, position: int) -> Move:
        """Return the move of a position that leaves the table."""

    def window_seconds(self, deal: State, /) -> int:
        """Return the seconds in which players may answer a show; 0 in a family without shows."""

    def extra_ms_left(self, deal: State, position: int) -> int:
        """Return the position's remaining extra time in milliseconds."""

    def misses(self, deal: State, position: int) -> int:
        """Return the number of turns in a row that the position has missed."""

    def thrown_by(self, moves: Iterable[Move], *, cards: int) -> list[int | None]:
        """Return the position that discarded each card of the open pile."""

    def format_position(self, deal: State) -> str:
        """Return the deal as one line."""

    def parse_position(
        self, text: str, *, rules: RulesT_contra | None = None, stream: Stream | None = None
    ) -> State:
        """Parse a line; raise `NotationError` if it is invalid."""

    def opening_lines(self, deal: State) -> list[str]:
        """Return the lines of a history file with the cards at the start."""

    def result_lines(self, deal: State) -> list[str]:
        """Return the lines of a history file with the result; [] while the deal is played."""


AnyRules: TypeAlias = Rules | StraightRules
AnyDeal: TypeAlias = thirteen.Deal | straight.Deal
AnyView: TypeAlias = thirteen.View | straight.View
AnySeatView: TypeAlias = thirteen.SeatView | straight.SeatView
AnyResult: TypeAlias = thirteen.Result | straight.Result
AnyOutcome: TypeAlias = thirteen.Outcome | straight.Outcome

Thirteen: TypeAlias = Family[Rules, thirteen.Deal, thirteen.View, thirteen.Outcome]
Straight: TypeAlias = Family[StraightRules, straight.Deal, straight.View, straight.Outcome]
AnyFamily: TypeAlias = Family[AnyRules, AnyDeal, AnyView, AnyOutcome]

THIRTEEN: Final[Thirteen] = thirteen
STRAIGHT: Final[Straight] = straight

# A family gets only its own deals, which types cannot express for a choice of families.
_FAMILIES: Final = {
    "thirteen": cast(AnyFamily, THIRTEEN),
    "straight": cast(AnyFamily, STRAIGHT),
}
_RULES: Final[Mapping[str, type[AnyRules]]] = {"thirteen": Rules, "straight": StraightRules}

ALL_PROFILES: Final[Mapping[str, AnyRules]] = MappingProxyType(
    {**profiles.PROFILES, **straight.PROFILES}
)
"""The named house rules of every family."""


def family_of(rules: AnyRules) -> AnyFamily:
    """Return the family of these rules.

    >>> family_of(ALL_PROFILES["straight"]) is straight
    True
    """
    return _FAMILIES[rules.family]


@overload
def start(rules: Rules, *, players: int, stream: Stream) -> thirteen.Deal: ...
@overload
def start(rules: StraightRules, *, players: int, stream: Stream) -> straight.Deal: ...
def start(rules: AnyRules, *, players: int, stream: Stream) -> AnyDeal:
    """Return a new deal by rules of any family, shuffled with the stream.

    >>> deal = start(ALL_PROFILES["total-rummy-pool-101"], players=3, stream=Stream(bytes(32)))
    >>> deal.players, deal.to_act
    (3, 1)
    """
    return family_of(rules).start(rules, players=players, stream=stream)


def profile_named(name: str) -> AnyRules:
    """Return a profile of any family; raise `RulesError` for an unknown name.

    >>> profile_named("vip-straight").family
    'straight'
    """
    try:
        return ALL_PROFILES[name]
    except KeyError:
        known = ", ".join(ALL_PROFILES)
        raise RulesError("unknown_profile", f"no profile {name!r}; known are {known}") from None


def rules_from_text(text: str) -> AnyRules:
    """Parse the text of rules of any family, which has a line with the family.

    >>> rules_from_text(ALL_PROFILES["straight"].to_text()) == ALL_PROFILES["straight"]
    True
    """
    for line in text.splitlines():
        field, _, value = line.partition(":")
        if field.strip() == "family" and value.strip() in _RULES:
            return _RULES[value.strip()].from_text(text)
    return Rules.from_text(text)  # Its error names the missing or invalid field.
