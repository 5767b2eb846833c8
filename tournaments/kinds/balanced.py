"""Knock-out with balanced tables: players are moved between tables after each deal (RB 10.9)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from django.utils.translation import gettext as _

from rummy import AnyRules
from tables.games import game_of
from tables.state.rules import rules_of
from tournaments.entries.models import Entry, Seating
from tournaments.exceptions import BadTerms
from tournaments.kinds.kind import Kind, LastRound
from tournaments.planning.plan import table_sizes
from tournaments.planning.terms_models import KindName, Terms
from tournaments.rounds.draw import draw_order

E = TypeVar("E", bound=Hashable)


def balanced(tables: Sequence[Sequence[E]], drawn: Sequence[E], seats: int) -> list[list[E]]:
    """Return the fewest tables for these players, whose sizes differ by at most one.

    Superfluous tables are broken, the smallest first, of equal ones the last. The largest of the
    others keep one player more if the sizes cannot be equal. Of the players of a table that is too
    large, those first in the order `drawn` move. Those who move take the free seats in that order.

    >>> balanced(["abc", "de", "fghi"], "ihgfedcba", 6)
    [['a', 'b', 'c', 'e'], ['f', 'g', 'h', 'i', 'd']]
    >>> balanced(["abcdef", "gh"], "hgfedcba", 6)
    [['a', 'b', 'c', 'd'], ['g', 'h', 'f', 'e']]
    """
    if not drawn:
        return []
    sizes = table_sizes(len(drawn), seats)
    by_size = sorted(range(len(tables)), key=lambda table: (-len(tables[table]), table))
    wanted = dict(zip(by_size, sizes, strict=False))
    order = {player: number for number, player in enumerate(drawn)}
    kept: dict[int, list[E]] = {}
    moved: list[E] = []
    for number, table in enumerate(tables):
        surplus = max(0, len(table) - wanted.get(number, 0))
        moving = set(sorted(table, key=order.__getitem__)[:surplus])
        moved += moving
        if number in wanted:
            kept[number] = [player for player in table if player not in moving]
    moved.sort(key=order.__getitem__)
    for number, table in sorted(kept.items()):
        free = wanted[number] - len(table)
        kept[number], moved = [*table, *moved[:free]], moved[free:]
    assert not moved, "the sizes sum to the number of players"
    return [kept[number] for number in sorted(kept)]


class Balanced(Kind):
    """Points add up over all tables; at the limit of the rules an entry is out."""

    name = KindName.BALANCED
    last_standing = 1

    def text(self, terms: Terms) -> Iterator[str]:
        yield _(
            "All tables play one deal at a time. Your points add up; at %(limit)s you are out."
        ) % {"limit": limit_of(terms)}
        yield _(
            "After each deal tables are closed and players moved, so that seats differ by at most "
            "one. The published seed draws who moves."
        )
        yield _("A player who leaves a table is out. The last player in wins.")

    def limit(self, terms: Terms) -> int:
        return limit_of(terms)

    def check(self, terms: Terms, rules: AnyRules) -> None:
        super().check(terms, rules)
        if game_of(rules).figures(rules).limit is None:
            raise BadTerms("Choose pool rules: players are out at the limit of a pool.")
        if terms.round_minutes is not None:
            raise BadTerms("Set no time limit of a round: a round is one deal.")

    def is_final(self, terms: Terms, entrants: int) -> bool:
        return False

    def is_through(self, terms: Terms, *, number: int, qualify: int, score: int) -> bool:
        return score < limit_of(terms)

    def rank(self, terms: Terms, seating: Seating, *, score: int, is_out: bool) -> tuple[int, ...]:
        """Rank by the lower total; those below the limit have left or been removed, and are last.

        The last player in is placed alone.
        """
        return int(score < limit_of(terms)), score

    def next_tables(self, terms: Terms, last: LastRound) -> list[list[Entry]]:
        entries = {str(entry.public_id): entry for entry in last.ranked}
        order = draw_order(last.seed, list(entries), label=f"balance:{last.next_no}")
        drawn = [entries[public_id] for public_id in order]
        at = sorted(drawn, key=lambda entry: (last.met_at[entry.pk], entry.draw_no or 0))
        tables = [list(table) for _, table in groupby(at, lambda entry: last.met_at[entry.pk])]
        return balanced(tables, drawn, terms.seats)


def limit_of(terms: Terms) -> int:
    """Return the total at which an entry is out."""
    rules = rules_of(terms.profile)
    limit = game_of(rules).figures(rules).limit
    assert limit is not None, "a balanced knock-out is played by rules with a limit"
    return limit
