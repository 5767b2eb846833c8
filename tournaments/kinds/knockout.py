"""Knock-out in rounds: a fixed number of players advance from each table (RB 10.1, 10.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import AnyRules
from tournaments.entries.models import Entry, Seating
from tournaments.exceptions import BadTerms
from tournaments.kinds.kind import Kind, LastRound
from tournaments.planning.plan import RoundPlan, plan, qualifying_from
from tournaments.planning.terms_models import KindName, Terms
from tournaments.rounds.draw import repaired, snake


class Knockout(Kind):
    """Each table plays a whole game; the best players of each advance up to a final."""

    name: str = KindName.KNOCKOUT
    plays_one_deal = False

    def text(self, terms: Terms) -> Iterator[str]:
        yield ngettext(
            "The best player of each table advances to the next round.",
            "The best %(count)s players of each table advance to the next round.",
            terms.qualify,
        ) % {"count": terms.qualify}

    def check(self, terms: Terms, rules: AnyRules) -> None:
        """Accept all terms that are valid for any tournament."""

    def plan(self, terms: Terms, entrants: int) -> Sequence[RoundPlan]:
        return plan(entrants, seats=terms.seats, qualify=terms.qualify, final=terms.final_seats)

    def is_final(self, terms: Terms, entrants: int) -> bool:
        return entrants <= terms.final_seats

    def qualifying_from(self, terms: Terms, size: int, *, is_final: bool) -> int:
        return 1 if is_final else qualifying_from(size, terms.qualify)

    def is_through(self, terms: Terms, *, number: int, qualify: int, score: int) -> bool:
        return number <= qualify

    def rank(self, terms: Terms, seating: Seating, *, score: int, is_out: bool) -> tuple[int, ...]:
        return (seating.place or 0,)

    def next_tables(self, terms: Terms, last: LastRound) -> list[list[Entry]]:
        """Return tables of the qualifiers in snake order, with few rematches."""
        seats, ranked = terms.seats, list(last.ranked)
        if not ranked:
            return []
        if len(ranked) <= terms.final_seats:
            return [ranked]
        if len(ranked) % 2 and seats == 2:  # The bye goes to an entry that had none, if any.
            free = [entry for entry in ranked if not entry.is_removed] or ranked
            first = next((entry for entry in free if entry.pk not in last.had_byes), free[0])
            ranked = [first, *(entry for entry in ranked if entry != first)]
        by_pk = {entry.pk: entry for entry in ranked}
        tables = snake([entry.pk for entry in ranked], seats)
        return [[by_pk[pk] for pk in table] for table in repaired(tables, last.met_at)]


class Shootout(Knockout):
    """A knock-out in which each table plays until one player is left (RB 10.8)."""

    name = KindName.SHOOTOUT

    def check(self, terms: Terms, rules: AnyRules) -> None:
        if terms.qualify != 1:
            raise BadTerms("Set the qualifiers to 1: the winner of each table advances.")

    def text(self, terms: Terms) -> Iterator[str]:
        yield _("Each table plays until one player is left. The winners meet in the next round.")
