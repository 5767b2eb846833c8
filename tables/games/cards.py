"""What a game says of its cards: values that every family of rummy fills in."""

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
    """The numbers of the rules that views and lists state; what a game does not know is empty."""

    limit: int | None = None
    """Out at this total."""
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
    """The house rules that decide what a group is and what loose cards cost (RB 2 to 4)."""

    max_jokers_per_sequence: int | None
    max_jokers_per_set: int | None
    max_set_size: int | None
    min_naturals: int
    identical_triples: bool
    # "none", "any" or "other": which sequence must have four cards.
    life_of_four: str
    # Whether jokers outside any group may be shown.
    loose_jokers: bool
    # Without the sequences of a show: "all" cards count, or all but pure sequences.
    unmet: str
    # How they count then: their "sum", or "flat", the cap.
    unmet_points: str
    # What a loser pays at least, be the hand ever so good.
    least_loss: int


@dataclass(frozen=True, slots=True)
class MeldRules:
    """The house rules of melds that lie open on the table (RB 9)."""

    # "low", "high" or "both".
    aces: str
    round_the_corner: bool
    ace_points: int
    # Whether the card just taken from the open pile may be thrown in the same turn.
    may_discard_taken: bool
    # Whether the last card must be thrown, not melded or laid off.
    must_discard_last: bool


@dataclass(frozen=True, slots=True)
class Showing:
    """A valid show, open on the table."""

    by: int
    groups: list[str]
    finish: str


@dataclass(frozen=True, slots=True)
class MeldLine:
    """A meld on the table; cards are laid off on its number."""

    number: int
    # The position that laid it.
    owner: int
    cards: list[str]


@dataclass(frozen=True, slots=True)
class CardsOnTable:
    """What lies open beside the piles."""

    wild: str = ""
    wild_rank: str = ""
    showing: Showing | None = None
    melds: Sequence[MeldLine] = ()
    taken: str | None = None
    """The card the position to act has taken from the open pile, where it matters."""


@dataclass(frozen=True, slots=True)
class BestHand:
    """An arrangement in notation, loose cards behind the stroke, and what it costs."""

    groups: str
    points: int
    # With fourteen cards in hand: the card to declare with, where these groups can be shown.
    finish: str | None


@dataclass(frozen=True, slots=True)
class JudgedGroup:
    cards: str
    # "pure_sequence", "sequence", "set", "jokers" or null for no group.
    kind: str | None
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class Judged:
    """The hand a result was counted from, and what was wrong with what its player sent."""

    arrangement: str
    """In notation; "" where no hand was counted."""
    submitted: Sequence[JudgedGroup] = ()
    reasons: Sequence[str] = ()


def words_of_players(rules: rummy.AnyRules) -> str:
    """Return how many play, in any family."""
    if rules.players_min == rules.players_max:
        return _("%(players)s players.") % {"players": rules.players_min}
    return _("%(least)s to %(most)s players.") % {
        "least": rules.players_min,
        "most": rules.players_max,
    }


def words_of_turns(rules: rummy.AnyRules) -> Iterator[str]:
    """Yield how long a turn lasts, in any family."""
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


def words_of_pauses(rules: rummy.AnyRules) -> Iterator[str]:
    """Yield how long a table waits before its first deal and between two, in any family."""
    if rules.start_seconds:
        yield ngettext(
            "Countdown to the start: %(seconds)s second.",
            "Countdown to the start: %(seconds)s seconds.",
            rules.start_seconds,
        ) % {"seconds": rules.start_seconds}
    else:
        yield _("The first deal begins as soon as enough players sit at the table.")
    if rules.toss_seconds:
        yield ngettext(
            "The toss is shown for %(seconds)s second.",
            "The toss is shown for %(seconds)s seconds.",
            rules.toss_seconds,
        ) % {"seconds": rules.toss_seconds}
    if not rules.gap_seconds:
        yield _("The next deal follows at once.")
        return
    yield ngettext(
        "Pause between two deals: %(seconds)s second.",
        "Pause between two deals: %(seconds)s seconds.",
        rules.gap_seconds,
    ) % {"seconds": rules.gap_seconds}
    if rules.gap_ready:
        yield _("The next deal starts sooner when every player has pressed “Ready”.")


class Cards(Protocol):
    """The family's part of a game: what its cards, hands and rules look like."""

    def figures(self, rules: rummy.AnyRules) -> Figures:
        """Return the numbers of the rules that views state."""

    def group_rules(self, rules: rummy.AnyRules) -> GroupRules | None:
        """Return the rules of groups, or None where no groups are shown at the end of a deal."""

    def meld_rules(self, rules: rummy.AnyRules) -> MeldRules | None:
        """Return the rules of melds on the table, or None where none are laid there."""

    def on_table(self, view: rummy.AnyView) -> CardsOnTable:
        """Return what lies open on the table."""

    def drop_points(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> int:
        """Return what a drop of this seat costs now (RB 5.4)."""

    def pays_half(self, rules: rummy.AnyRules, here: rummy.AnySeatView) -> bool:
        """Return whether this seat would pay half if another showed now (RB 4.7)."""

    def why_wrong(self, here: rummy.AnySeatView) -> Sequence[str]:
        """Return why this seat's show did not stand; nothing if it made no wrong one (RB 3.3)."""

    def best_hand(self, view: rummy.AnyView) -> BestHand:
        """Return how the viewer's cards cost least; with a way to end the deal in them, that."""

    def laid(self, deal: rummy.AnyDeal, position: int) -> str:
        """Return the groups a position has laid down, what is left of its hand behind a stroke."""

    def judged(self, result: rummy.AnyResult) -> Judged:
        """Return what a result was counted from."""

    def words_of_cards(self, rules: rummy.AnyRules) -> Iterator[str]:
        """Yield how many play with which cards."""

    def sections_of_play(self, rules: rummy.AnyRules) -> Iterator[tuple[str, Iterator[str]]]:
        """Yield the rules of a deal as titles with their sentences."""

    def words_of_leaving_a_deal(self, rules: rummy.AnyRules) -> Iterator[str]:
        """Yield what leaving costs in a deal."""

    def words_of_time(self, rules: rummy.AnyRules) -> Iterator[str]:
        """Yield how long turns and pauses last."""

    def lesson(self, rules: rummy.AnyRules) -> Lesson:
        """Return how these games are played, in pictures, with the numbers of the rules."""
