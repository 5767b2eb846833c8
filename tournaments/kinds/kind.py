"""The methods that a kind of tournament must define, and defaults for others.

The defaults are those of kinds whose tables play one deal at a time; the points of the deals add up
over the tournament.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rummy import AnyRules
from tables.models.seats import Score
from tournaments.entries.models import Entry, Seating
from tournaments.exceptions import BadTerms
from tournaments.planning.plan import RoundPlan
from tournaments.planning.terms_models import Terms


class Played(Protocol):
    """The play of a seat at a finished table; see `tournaments.rounds.results`."""

    @property
    def scores(self) -> Sequence[Score]: ...
    @property
    def total(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRound:
    """A finished round, from which the tables of the next one follow."""

    # The number of the next round.
    next_no: int
    # The published seed of the draw.
    seed: bytes
    # The qualified entries, best first (RB 10.1).
    ranked: Sequence[Entry]
    # The last table of each entry, by primary keys, with tables numbered upwards.
    met_at: Mapping[int, int]
    # The primary keys of entries that already had a bye.
    had_byes: Collection[int]


class Kind(ABC):
    """How entrants advance, which tables they sit at, and when a tournament is over."""

    name: str
    """The identifier in the terms and the API."""
    plays_one_deal = True
    """Whether a table plays one deal; the points of an entry's tables then add up."""
    reseats = False
    """Whether an entry sits at table after table until the end of the only round."""
    most_points_win = False
    last_standing = 0
    """A tournament is over when no more than this number of entries are through a round."""

    @abstractmethod
    def text(self, terms: Terms) -> Iterator[str]:
        """Yield the kind's rules for players as sentences."""

    def limit(self, terms: Terms) -> int | None:
        """Return the sum of points at which an entry is out, or None if no sum eliminates."""
        return None

    def check(self, terms: Terms, rules: AnyRules) -> None:
        """Raise `BadTerms` if the kind cannot be played on these terms."""
        if terms.rejoins or terms.late_minutes or terms.addon_minor:
            raise BadTerms("Set rejoins, late entry and add-on to none: only a knock-out has them.")

    def plan(self, terms: Terms, entrants: int) -> Sequence[RoundPlan]:
        """Return the plans of all rounds, or nothing if their number depends on the play."""
        return ()

    @abstractmethod
    def is_final(self, terms: Terms, entrants: int) -> bool:
        """Return whether a round of so many entrants decides the places of all of them."""

    def qualifying_from(self, terms: Terms, size: int, *, is_final: bool) -> int:
        """Return the number of players who advance from a table; 1 where it is not fixed."""
        return 1

    def totals(self, played: Mapping[int, Played]) -> dict[int, int]:
        """Return the total of each player of a table."""
        return {player: own.total for player, own in played.items()}

    @abstractmethod
    def is_through(self, terms: Terms, *, number: int, qualify: int, score: int) -> bool:
        """Return whether an entry who stayed at its table remains in the tournament.

        `number` is its rank at the table, from 1, `score` the sum of its totals so far.
        """

    @abstractmethod
    def rank(self, terms: Terms, seating: Seating, *, score: int, is_out: bool) -> tuple[int, ...]:
        """Return the sort key of an entry among those placed after a round; equal ones share."""

    @abstractmethod
    def next_tables(self, terms: Terms, last: LastRound) -> list[list[Entry]]:
        """Return the tables of the next round; no tables without qualified entries."""
