"""The state of one deal of straight rummy: hands, melds on the table, the two piles (RB 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rummy.notation.cards import Card
from rummy.notation.shuffle import Stream
from rummy.notation.states import Phase, Seated
from rummy.straight.melds import Cards, fitting, laid_out
from rummy.straight.rules import StraightRules

Standing = Literal["active", "left"]
Ending = Literal["out", "exhausted", "too_long", "last_standing"]


@dataclass(frozen=True)
class TableMeld:
    """A meld on the table; melds are numbered from 1 in the order of laying."""

    owner: int
    cards: Cards
    """In order: a low ace first, a high ace last."""
    fits: frozenset[Card] = field(repr=False, compare=False)
    """The cards that may be laid off on it."""

    @classmethod
    def of(cls, owner: int, cards: Sequence[Card], rules: StraightRules) -> TableMeld:
        """Return the meld of these cards, or raise `IllegalMove` with the reason.

        >>> from rummy import parse_cards
        >>> from rummy.straight.rules import STRAIGHT
        >>> meld = TableMeld.of(1, parse_cards("6H 4H 5H"), STRAIGHT)
        >>> meld
        TableMeld(owner=1, cards=(Card('4H'), Card('5H'), Card('6H')))
        >>> sorted(meld.fits)
        [Card('3H'), Card('7H')]
        """
        laid = laid_out(cards, rules)
        return cls(owner, laid, fitting(laid, rules))


@dataclass(frozen=True)
class Seat:
    """A position in this deal; the hand of a position that left stays and counts."""

    hand: Cards = field(repr=False)
    extra_ms: int
    """The remaining extra time in milliseconds."""
    standing: Standing = "active"
    has_melded: bool = False
    """Whether the position has laid a meld in this turn or earlier."""
    has_laid: bool = False
    """Whether it melded or laid off in an earlier turn, which excludes going rummy (RB 9.3)."""
    misses: int = 0
    """Turns missed in a row."""

    @property
    def is_active(self) -> bool:
        return self.standing == "active"


@dataclass(frozen=True)
class DealState(Seated[Seat]):
    """The fields of a deal; `deal.Deal` adds methods.

    Position 1 leads and the last position is the dealer.
    """

    rules: StraightRules
    stock: Cards = field(repr=False)
    """Next card first."""
    pile: Cards
    """The open pile, top last."""
    seats: tuple[Seat, ...]
    """Position 1 first."""
    stream: Stream
    melds: tuple[TableMeld, ...] = ()
    to_act: int | None = 1
    phase: Phase = "playing"
    drawn: Card | None = field(default=None, repr=False)
    """The card drawn in this turn, even if it has been laid down since."""
    drawn_from: Literal["stock", "open"] | None = None
    melds_this_turn: int = 0
    laid_this_turn: bool = False
    """Whether the position to act has melded or laid off in this turn."""
    refills: int = 0
    """The number of times the open pile has become the stock."""
    turns: int = 0
    """The number of finished turns."""
    winner: int | None = None
    ending: Ending | None = None
    is_rummy: bool = False
    """Whether the winner went rummy (RB 9.3)."""

    @property
    def taken(self) -> Card | None:
        """The card taken from the open pile in this turn."""
        return self.drawn if self.drawn_from == "open" else None
