"""A game's description of its cards: values that every family of rummy fills in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

import rummy
from tables.games.lesson import Lesson


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Numbers of the rules that views and lists show; None or empty where a game has none."""

    limit: int | None = None
    """A player at this total is eliminated."""
    deals: int | None = None
    target: int | None = None
    rounds: int | None = None
    drops_allowed: bool = False
    first_drop: int = 0
    middle_drop: int = 0
    cap: int = 0
    rejoin: bool = False
    split: bool = False
    auto_split: bool = False


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
    """The open cards besides the piles."""

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


def players_text(rules: rummy.AnyRules) -> str:
    """Return the number of players, for any family."""
    if rules.players_min == rules.players_max:
        return _("%(players)s players.") % {"players": rules.players_min}
    return _("%(least)s to %(most)s players.") % {
        "least": rules.players_min,
        "most": rules.players_max,
    }


def turns_text(rules: rummy.AnyRules) -> Iterator[str]:
    """Yield the length of a turn, for any family."""
    yield ngettext(
        "A turn lasts %(seconds)s second.",
        "A turn lasts %(seconds)s seconds.",
        rules.turn_seconds,
    ) % {"seconds": rules.turn_seconds}
    if rules.extra_seconds:
        yield ngettext(
            "Extra time of each player in a deal: %(seconds)s second.",
            "Extra time of each player in a deal: %(seconds)s seconds.",
            rules.extra_seconds,
        ) % {"seconds": rules.extra_seconds}
    else:
        yield _("There is no extra time.")


def pauses_text(rules: rummy.AnyRules) -> Iterator[str]:
    """Yield the pauses before the first deal and between deals, for any family."""
    if rules.start_seconds:
        yield ngettext(
            "Countdown to the start: %(seconds)s second.",
            "Countdown to the start: %(seconds)s seconds.",
            rules.start_seconds,
        ) % {"seconds": rules.start_seconds}
    else:
        yield _("The first deal starts as soon as enough players are seated.")
    if rules.toss_seconds:
        yield ngettext(
            "The toss is shown for %(seconds)s second.",
            "The toss is shown for %(seconds)s seconds.",
            rules.toss_seconds,
        ) % {"seconds": rules.toss_seconds}
    if not rules.gap_seconds:
        yield _("The next deal starts at once.")
        return
    yield ngettext(
        "Pause between two deals: %(seconds)s second.",
        "Pause between two deals: %(seconds)s seconds.",
        rules.gap_seconds,
    ) % {"seconds": rules.gap_seconds}
    if rules.gap_ready:
        yield _("The next deal starts early when every player has pressed “Ready”.")


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
