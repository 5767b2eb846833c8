"""A game's description of its cards: values that every family of rummy fills in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import rummy


@dataclass(frozen=True, slots=True)
class Band:
    """Totals that survive the same number of first drops (RB 7.2)."""

    low: int
    high: int
    drops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Numbers of the rules that views and lists show; None or empty where a game has none."""

    limit: int | None = None
    """A player at this total is eliminated."""
    deals: int | None = None
    chips: int | None = None
    """The chips of each player before the first deal."""
    target: int | None = None
    rounds: int | None = None
    drops_allowed: bool = False
    first_drop: int = 0
    middle_drop: int = 0
    cap: int = 0
    rejoin: bool = False
    max_rejoins: int | None = None
    split: bool = False
    auto_split: bool = False
    bands: tuple[Band, ...] = ()
    """The bands of totals below a pool's limit, lowest first."""

    def drops_left(self, total: int) -> int | None:
        """Return how many first drops a total survives, or None if totals do not eliminate."""
        if not self.bands:
            return None
        return next((band.drops for band in self.bands if total <= band.high), 0)


@dataclass(frozen=True, slots=True)
class GroupRules:
    """The house rules for groups and for the points of ungrouped cards (RB 2 to 4)."""

    max_jokers_per_sequence: int | None
    max_jokers_per_set: int | None
    max_set_size: int | None
    min_naturals: int
    identical_triples: bool
    # "none", "any" or "other": which sequence must have four cards.
    life_of_four: str
    # Whether jokers outside any group may be declared.
    loose_jokers: bool
    # Without the required sequences: "all" cards count, or all but pure sequences.
    unmet: str
    # Their points then: the "sum" of the cards, or "flat", the cap.
    unmet_points: str
    # The fewest points a loser can have, whatever the hand.
    least_loss: int


@dataclass(frozen=True, slots=True)
class MeldRules:
    """The house rules for melds that lie open on the table (RB 9)."""

    # "low", "high" or "both".
    aces: str
    round_the_corner: bool
    ace_points: int
    # Whether a card just taken from the open pile may be discarded in the same turn.
    may_discard_taken: bool
    # Whether the last card must be discarded, not melded or laid off.
    must_discard_last: bool


@dataclass(frozen=True, slots=True)
class Showing:
    """A valid show, visible to all."""

    by: int
    groups: list[str]
    finish: str


@dataclass(frozen=True, slots=True)
class MeldLine:
    """A meld on the table; its number identifies it when cards are laid off on it."""

    number: int
    # The position that laid it down.
    owner: int
    cards: list[str]


@dataclass(frozen=True, slots=True)
class CardsOnTable:
    """Return the open cards outside the piles."""

    wild: str = ""
    wild_rank: str = ""
    showing: Showing | None = None
    melds: Sequence[MeldLine] = ()
    taken: str | None = None
    """The card that the position on turn has taken from the open pile, where it matters."""


@dataclass(frozen=True, slots=True)
class BestHand:
    """An arrangement in notation, ungrouped cards after the slash, and its points."""

    groups: str
    points: int
    # With fourteen cards in hand: the card to discard when declaring, if these groups can be shown.
    finish: str | None
    # Before the first draw: what such hands cost on average and what a drop costs, as a sentence.
    advice: str = ""


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    cards: str
    # "pure_sequence", "sequence", "set", "jokers", or null if it is not a group.
    kind: str | None
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Judged:
    """The hand a result was scored from, and the faults of a wrong show."""

    arrangement: str
    """In notation; "" if no hand was scored."""
    submitted: Sequence[JudgedGroup] = ()
    reasons: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """Cards in groups, as drawn by `templates/tables/_arrangement.html`, with a caption."""

    cards: str
    caption: str
    is_good: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the page; its name is its anchor."""

    name: str
    title: str
    sentences: tuple[str, ...]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    parts: tuple[Part, ...]
    wild: str = ""
    """The rank of the wild cards in the pictures; "" if there are none."""


class Cards(Protocol):
    """The family's part of a game: its cards, hands and rules."""

    def figures(self, rules: rummy.AnyRules) -> Figures:
        """Return the numbers of the rules that views show."""

    def group_rules(self, rules: rummy.AnyRules) -> GroupRules | None:
        """Return the rules for groups, or None if deals end without showing groups."""

    def meld_rules(self, rules: rummy.AnyRules) -> MeldRules | None:
        """Return the rules for melds on the table, or None if the game has none."""

    def on_table(self, view: rummy.AnyView) -> CardsOnTable:
        """Return the open cards on the table."""

    def drop_points(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> int:
        """Return the penalty points of a drop by this seat now (RB 5.4)."""

    def pays_half(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> bool:
        """Return whether this seat would pay half if another player showed now (RB 4.7)."""

    def why_wrong(self, here: rummy.AnySeatView) -> Sequence[str]:
        """Return the faults of this seat's wrong show; empty if it made none (RB 3.3)."""

    def best_hand(self, view: rummy.AnyView) -> BestHand:
        """Return the viewer's cheapest arrangement, or one that ends the deal if possible."""

    def laid(self, deal: rummy.AnyDeal, position: int) -> str:
        """Return the groups a position has laid down; its other cards follow a slash."""

    def judged(self, result: rummy.AnyResult) -> Judged:
        """Return the hand that a result was scored from."""

    def cards_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        """Yield the number of players and the cards used."""

    def sections_of_play(self, rules: rummy.AnyRules) -> Iterator[tuple[str, Iterator[str]]]:
        """Yield the rules of a deal as sections: a title and its sentences."""

    def leaving_a_deal_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        """Yield the cost of leaving during a deal."""

    def time_text(self, rules: rummy.AnyRules) -> Iterator[str]:
        """Yield the lengths of turns and pauses."""

    def lesson(self, rules: rummy.AnyRules) -> Lesson:
        """Return an illustrated lesson in the game, with the numbers of these rules."""
