"""Points race: for a fixed time, table after table, most net points win (RB 10.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rummy import AnyRules
from tables.games import game_of
from tables.models.seats import Score
from tournaments.entries.models import Entry, Seating
from tournaments.exceptions import BadTerms
from tournaments.kinds.kind import Kind, LastRound, Played
from tournaments.planning.terms_models import KindName, Terms

E = TypeVar("E")
# After this wait a table of fewer players than seats is dealt.
FULL_TABLE_WAIT: Final = timedelta(seconds=20)


def tables_of_waiting(waiting: Sequence[E], seats: int, *, takes_fewer: bool) -> list[list[E]]:
    """Return the tables that can be dealt to the waiting players, first come first served.

    Tables are full; if `takes_fewer`, the rest get a table too, unless a player is alone.

    >>> tables_of_waiting("abcdefg", 3, takes_fewer=False)
    [['a', 'b', 'c'], ['d', 'e', 'f']]
    >>> tables_of_waiting("abcde", 3, takes_fewer=True)
    [['a', 'b', 'c'], ['d', 'e']]
    """
    tables = [list(waiting[at : at + seats]) for at in range(0, len(waiting), seats)]
    if tables and len(tables[-1]) < (2 if takes_fewer else seats):
        tables.pop()
    return tables


class Race(Kind):
    """Losers pay their points to the winner of the deal; a drop leads to another table."""

    name = KindName.RACE
    reseats = True
    most_points_win = True

    def text(self, terms: Terms) -> Iterator[str]:
        yield ngettext(
            "The race lasts %(minutes)s minute. Most net points win.",
            "The race lasts %(minutes)s minutes. Most net points win.",
            terms.round_minutes or 0,
        ) % {"minutes": terms.round_minutes}
        yield _("In each deal the losers' points go to the winner.")
        yield _("After a deal, or at once after a drop, you get a seat at another table.")
        yield _("Deals in progress at the end are finished and count.")
        yield _("Players who leave a table rank behind all who stay.")

    def check(self, terms: Terms, rules: AnyRules) -> None:
        super().check(terms, rules)
        if not terms.round_minutes:
            raise BadTerms("Set the minutes that the race lasts as the limit of a round.")
        if not game_of(rules).figures(rules).drops_allowed:
            raise BadTerms("Choose rules with drops: players change the table after a drop.")

    def is_final(self, terms: Terms, entrants: int) -> bool:
        return True

    def totals(self, played: Mapping[int, Played]) -> dict[int, int]:
        """Return the net points: a loser's points are lost, and the winner's gain."""
        lost = {player: _points_lost(own.scores) for player, own in played.items()}
        pot = sum(lost.values())
        return {
            player: pot if _has_won(own.scores) else -lost[player] for player, own in played.items()
        }

    def is_through(self, terms: Terms, *, number: int, qualify: int, score: int) -> bool:
        return True

    def rank(self, terms: Terms, seating: Seating, *, score: int, is_out: bool) -> tuple[int, ...]:
        return int(is_out), -score

    def next_tables(self, terms: Terms, last: LastRound) -> list[list[Entry]]:
        raise AssertionError("a race has one round")


def _has_won(scores: Sequence[Score]) -> bool:
    return any(score.how == Score.How.WON for score in scores)


def _points_lost(scores: Sequence[Score]) -> int:
    return sum(score.points for score in scores if score.how != Score.How.WON)
