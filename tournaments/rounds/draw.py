"""Seating: the verifiable draw, snake seeding, and avoidance of rematches (RB 10.1).

The draw is a Fisher-Yates shuffle of the entries' ids in ascending order, by `rummy.Stream` with
the published seed and "draw" as its only client seed. Before the draw the seed is stored encrypted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from operator import itemgetter
from typing import Final, TypeVar

import rummy
from tables.history.fairness import seeds
from tournaments.planning.models import Tournament, TournamentSecret
from tournaments.planning.plan import table_sizes

E = TypeVar("E", bound=Hashable)
LABEL: Final = "draw"


def new_seed(name: str) -> bytes:
    """Return a random 32-byte seed; for a simulation, one derived from the tournament's name."""
    return seeds.drawn(simulated_as=name if name.startswith(seeds.SIMULATED) else "")


def seal(tournament: Tournament, seed: bytes) -> TournamentSecret:
    return TournamentSecret.objects.create(
        tournament=tournament, encrypted_seed=seeds.encrypted(seed)
    )


def unseal(tournament: Tournament) -> bytes:
    return seeds.decrypted(tournament.secret.encrypted_seed)


def draw_order(seed: bytes, ids: Sequence[str], *, label: str = LABEL) -> tuple[str, ...]:
    """Return the ids in the order drawn, which does not depend on the order of `ids`.

    Later draws of the same tournament have other labels, such as `balance:2` (RB 10.9).

    >>> drawn = draw_order(bytes(32), ["b", "a", "c"])
    >>> drawn == draw_order(bytes(32), ["c", "b", "a"]), sorted(drawn)
    (True, ['a', 'b', 'c'])
    """
    order, _ = rummy.Stream(seed, (label,)).shuffled(sorted(ids))
    return order


def seat_in_turn(order: Sequence[E], seats: int) -> list[list[E]]:
    """Deal the drawn entries to the tables in turn, so that sizes differ by at most one.

    >>> seat_in_turn("abcde", 4)
    [['a', 'c', 'e'], ['b', 'd']]
    """
    count = len(table_sizes(len(order), seats))
    return [list(order[table::count]) for table in range(count)]


def snake(ranked: Sequence[E], seats: int) -> list[list[E]]:
    """Deal the ranked entries, best first, to the tables in snake order.

    >>> snake("abcdefg", 3)
    [['a', 'f', 'g'], ['b', 'e'], ['c', 'd']]
    """
    count = len(table_sizes(len(ranked), seats))
    tables: list[list[E]] = [[] for _ in range(count)]
    for place, entry in enumerate(ranked):
        lap, step = divmod(place, count)
        tables[step if lap % 2 == 0 else count - 1 - step].append(entry)
    return tables


def repaired(tables: Sequence[Sequence[E]], met_at: Mapping[E, Hashable]) -> list[list[E]]:
    """Swap entries between tables in one pass to reduce rematches.

    `met_at` maps each entry to its last table. An entry with a rematch is swapped with the entry of
    another table that leaves the fewest rematches; it stays if no swap helps.

    >>> repaired([["a", "b"], ["c", "d"]], {"a": 1, "b": 1, "c": 2, "d": 2})
    [['c', 'b'], ['a', 'd']]
    """
    seated = [list(table) for table in tables]
    origins = [Counter(met_at.get(entry) for entry in table) for table in seated]

    def rematches(origin: Hashable | None, table: int) -> int:
        return 0 if origin is None else origins[table][origin]

    def gain(here: int, mine: Hashable | None, there: int, theirs: Hashable | None) -> int:
        if mine == theirs:
            return 0
        now = rematches(mine, here) + rematches(theirs, there) - (1 if theirs is None else 2)
        return now - rematches(mine, there) - rematches(theirs, here)

    for here, table in enumerate(seated):
        for place, entry in enumerate(table):
            mine = met_at.get(entry)
            if rematches(mine, here) < 2:
                continue
            won, there, their_place = max(
                (
                    (gain(here, mine, there, met_at.get(their)), there, their_place)
                    for there, other in enumerate(seated)
                    for their_place, their in enumerate(other)
                    if there != here
                ),
                key=itemgetter(0),  # The first of equally good swaps.
                default=(0, here, place),
            )
            if won > 0:
                their = seated[there][their_place]
                table[place], seated[there][their_place] = their, entry
                origins[here][mine] -= 1
                origins[here][met_at.get(their)] += 1
                origins[there][met_at.get(their)] -= 1
                origins[there][mine] += 1
    return seated
