"""The plan of a tournament: tables and qualifiers of each round (RB 10)."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.exceptions import BadPlan


def table_sizes(entrants: int, seats: int) -> tuple[int, ...]:
    """Return the table sizes for the fewest tables that seat all entrants, larger ones first.

    Sizes differ by at most one. A table of one, possible only heads-up, is a bye.

    >>> table_sizes(13, 6), table_sizes(7, 6), table_sizes(5, 2)
    ((5, 4, 4), (4, 3), (2, 2, 1))
    """
    if entrants < 1 or not 2 <= seats <= 6:
        raise BadPlan("a round needs at least one entrant, and tables of 2 to 6 seats")
    tables = -(-entrants // seats)
    each, larger = divmod(entrants, tables)
    return tuple(each + (number < larger) for number in range(tables))


def qualifying_from(size: int, qualify: int) -> int:
    """Return the number of qualifiers of a table: fewer than its players, but 1 of a bye.

    >>> qualifying_from(6, 2), qualifying_from(2, 2), qualifying_from(1, 1)
    (2, 1, 1)
    """
    return max(1, min(qualify, size - 1))


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The plan of a round: entrants, table sizes, and qualifiers per table."""

    no: int
    entrants: int
    sizes: tuple[int, ...]
    qualify: int
    is_final: bool

    @property
    def qualifiers(self) -> int:
        return sum(qualifying_from(size, self.qualify) for size in self.sizes)


def round_plan(no: int, entrants: int, *, seats: int, qualify: int, final: int) -> RoundPlan:
    """Return the plan of one round; it is the final if all entrants fit at its table."""
    if not 1 <= qualify < seats or not 2 <= final <= seats:
        raise BadPlan("qualifiers must be fewer than seats, and final seats from 2 to the seats")
    if entrants <= final:
        return RoundPlan(no, entrants, (entrants,), 1, is_final=True)
    return RoundPlan(no, entrants, table_sizes(entrants, seats), qualify, is_final=False)


def plan(entrants: int, *, seats: int, qualify: int, final: int) -> tuple[RoundPlan, ...]:
    """Return the plans of all rounds up to the final.

    >>> [r.entrants for r in plan(1000, seats=6, qualify=2, final=6)]
    [1000, 334, 112, 38, 14, 6]
    >>> [r.entrants for r in plan(5, seats=2, qualify=1, final=2)]
    [5, 3, 2]
    """
    rounds = [round_plan(1, entrants, seats=seats, qualify=qualify, final=final)]
    while not rounds[-1].is_final:
        last = rounds[-1]
        rounds.append(
            round_plan(last.no + 1, last.qualifiers, seats=seats, qualify=qualify, final=final)
        )
    return tuple(rounds)
