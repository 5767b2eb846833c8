"""The state of a deal: hands, piles and turn (RB 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rummy.notation.cards import PRINTED_JOKER, Card, Rank, pack
from rummy.notation.rules import Rules
from rummy.notation.shuffle import Stream
from rummy.notation.states import Phase, Seated

Standing = Literal["active", "first_drop", "middle_drop", "wrong_show"]
Ending = Literal["show", "last_standing", "exhausted"]


@dataclass(frozen=True)
class Seat:
    """A position in this deal; it keeps its cards when it is out, they are not reused."""

    hand: tuple[Card, ...] = field(repr=False)
    extra_ms: int
    """The remaining extra time in milliseconds."""
    standing: Standing = "active"
    has_drawn: bool = False
    """Whether a card was drawn in this deal, which decides between the two drops (RB 5.4)."""
    misses: int = 0
    """Turns missed in a row."""
    points: int = 0
    """The points of a drop or a wrong show; other hands are priced when the deal ends."""
    groups: tuple[tuple[Card, ...], ...] | None = field(default=None, repr=False)
    """The grouping sent in the meld window or with a show, or None."""
    reasons: tuple[str, ...] = ()
    """Why the show was wrong (RB 3.3)."""

    @property
    def is_active(self) -> bool:
        return self.standing == "active"


@dataclass(frozen=True)
class DealState(Seated[Seat]):
    """The fields of a deal; `deal.Deal` adds methods."""

    rules: Rules
    wild: Card
    stock: tuple[Card, ...] = field(repr=False)
    """Next card first."""
    pile: tuple[Card, ...]
    """The open pile, top last."""
    seats: tuple[Seat, ...]
    """Position 1 first."""
    stream: Stream
    to_act: int | None = 1
    phase: Phase = "playing"
    drawn: Card | None = field(default=None, repr=False)
    drawn_from: Literal["stock", "open"] | None = None
    has_first_upcard: bool = True
    """Whether the first up-card is still on top of the open pile (RB 5.3)."""
    reshuffles: int = 0
    finish: Card | None = None
    """The finish card of a valid show."""
    winner: int | None = None
    ending: Ending | None = None
    waiting: frozenset[int] = frozenset()
    """Positions that have not answered the show."""

    @property
    def wild_rank(self) -> Rank:
        """The wild rank; aces if a printed joker was turned up (RB 1.4)."""
        return self.wild.rank or Rank.ACE


def full_deck(rules: Rules, players: int) -> tuple[Card, ...]:
    """Return the unshuffled deck: pack after pack in index order, each with its jokers last.

    >>> from rummy.notation.profiles import PROFILES
    >>> len(full_deck(PROFILES["total-rummy-pool-101"], 6))
    106
    >>> len(full_deck(PROFILES["vengala-points"], 5))
    162
    """
    one = (*pack(), *(PRINTED_JOKER,) * rules.printed_jokers_per_deck)
    return one * rules.decks_for(players)
