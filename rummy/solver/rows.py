"""Tables of the exact solver: the least points of the cards of one suit.

Sequences never cross suits, so the solver takes each suit's cards, its *row*, alone. A row is an
integer of thirteen two-bit digits, one a rank, ace lowest: how many copies are held. For a row and
0 .. J jokers a table tells the least points left over under four demands on its sequences:

    free  none
    life  at least one sequence that may be the second life
    pure  at least one pure sequence that may be the first life
    both  one of each, apart from one another

Rows repeat between hands, so tables are cached. A card of the wild rank that stands for itself uses
one of the jokers, like a joker in its place.
"""

# ruff: noqa: PLR1730 - in the innermost loop a comparison costs half of what `min` does.

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Final, NamedTuple

from rummy.notation.cards import Rank

NEVER: Final = 255
"""The value for impossible: more points than any hand, and the largest byte."""
RANKS: Final = 13
DIGIT: Final = 3
ONES: Final = 0x1555555
"""The lowest bit of every digit of a row."""
ROW: Final = (1 << 2 * RANKS) - 1
POINTS: Final = tuple(rank.points for rank in Rank)
TABLES_KEPT: Final = 100_000

FREE, LIFE, PURE, BOTH = range(4)
"""The demands on the sequences of a row."""

DEARER: Final = tuple(
    bytes(min(points + cost, NEVER) for points in range(NEVER + 1)) for cost in range(11)
)
"""For each number of points, a translation table that adds them to all bytes of a table."""

Table = bytes
"""Least points by demand, then by jokers: with `span` = J + 1, the points that `demand` leaves
with j jokers are `table[demand * span + j]`. Behind them lie the points of all the cards, and,
where there may be three jokers, the most that one of them, on average, can free, rounded up."""


class Run(NamedTuple):
    """A run with the lowest card of a row: the cards it uses, and which lives it can be."""

    taken: int
    """The digits of its cards."""
    jokers: int
    """The jokers it uses, including wild cards that stand for themselves."""
    is_pure: bool
    is_life: bool
    is_sequence: bool = True


Laid = tuple[bool, int, int]
"""A group as found: whether it is a sequence; its natural cards, as the digits of four rows side by
side, clubs lowest; and how many jokers it needs."""


def _lower(least: list[int], after: Table, run: Run, span: int) -> None:
    """Lower the least points of a row to those with this run and the rest of the row.

    A demand never makes a row cheaper, so a run that does not lower a demand lowers no weaker one.
    """
    if run.is_pure or not run.is_life:
        _lower_plainly(least, after, run, span)
        return
    spent = run.jokers
    for have in range(spent, span):
        free = after[have - spent]
        if free < least[span + have]:
            least[span + have] = free
            if free < least[have]:
                least[have] = free
    if after[3 * span - 1 - spent] < NEVER:
        for have in range(spent, span):
            pure = after[2 * span + have - spent]
            if pure < least[3 * span + have]:
                least[3 * span + have] = pure
                if pure < least[2 * span + have]:
                    least[2 * span + have] = pure


def _lower_plainly(least: list[int], after: Table, run: Run, span: int) -> None:
    """Like `_lower`, for a run that can be a first life or no life."""
    _, spent, is_pure, is_life, _ = run
    for have in range(spent, span):
        rest = have - spent
        free, life = after[rest], after[span + rest]
        pure, both = after[2 * span + rest], after[3 * span + rest]
        if is_life:
            both = life if is_pure and life < pure else pure
            life = free
        elif is_pure and life < both:
            both = life
        if is_pure:
            pure = free
        if free < least[have]:
            least[have] = free
        if life < least[span + have]:
            least[span + have] = life
        if pure < least[2 * span + have]:
            least[2 * span + have] = pure
        if both < least[3 * span + have]:
            least[3 * span + have] = both


@dataclass(eq=False)
class Shape:
    """The house rules about sequences, and the required lengths of the two lives.

    Sequences of six and more split into two of three and more over the same cards, so only
    lengths three to five are built; six too where a life of four is asked, since 6 = 3 + 3 would
    lose it. The split can leave a part with too few naturals: where two are asked, all lengths.
    """

    first_life: int
    second_life: int
    sequence_jokers: int | None
    set_jokers: int | None
    min_naturals: int
    triples: bool

    def __post_init__(self) -> None:
        self.tables: dict[int, Table] = {}
        self.runs: dict[int, tuple[Run, ...]] = {}
        self.unwound: dict[int, tuple[Laid, ...]] = {}
        # One object per run, because many rows share it.
        self.known: dict[Run, Run] = {}
        # Plain attributes, because compiled classes compute a `cached_property` at each access.
        self.longest: int = self._longest()
        # Whether wild cards can be useful as themselves only in pure sequences.
        self.is_unlimited: bool = self.sequence_jokers is None and self.min_naturals == 1
        # Whether a row's wild cards are processed after its other cards.
        self.sets_wilds_apart: bool = self.is_unlimited and not self.triples
        # By wild rank: pure first lives with a card of that rank, then the card with jokers.
        self.wild_lives: tuple[tuple[Run, ...], ...] = self._wild_lives()
        # By wild rank: ranks that can be in a first life with a card of that rank.
        self.wild_reaches: tuple[int, ...] = tuple(
            [reduce(or_, [run.taken for run in lives]) for lives in self.wild_lives]
        )
        # The shortest of `wild_lives`; a row that contains none of them contains no wild life.
        self.wild_company: tuple[tuple[int, ...], ...] = tuple(
            [
                tuple([run.taken for run in lives if run.taken.bit_count() == self.first_life])
                for lives in self.wild_lives
            ]
        )
        self.reaches: tuple[int, ...] = self._reaches()

    def _longest(self) -> int:
        if self.min_naturals > 1:
            return RANKS
        return 6 if max(self.first_life, self.second_life) > 3 else 5

    def table(self, row: int, jokers: int, wild: int) -> Table:
        """Return the table of a row for 0 .. jokers; `wild` is the wild rank's digit.

        >>> shape = Shape(3, 3, None, None, 1, False)
        >>> list(shape.table(0b010101, 0, RANKS)[:4])  # A 2 3: free, and pure, but never twice.
        [0, 0, 0, 255]
        """
        if not row >> 2 * wild & DIGIT:
            wild = RANKS  # Rows without a wild card have the same table for every wild rank.
        key = row | wild << 26 | jokers << 30
        table = self.tables.get(key)
        if table is None:
            apart = wild < RANKS and self.sets_wilds_apart
            table = (self._wild_table if apart else self._table)(row, jokers, wild)
            if len(self.tables) >= TABLES_KEPT:
                self.tables.clear()
            self.tables[key] = table
        return table

    def _table(self, row: int, jokers: int, wild: int) -> Table:
        """Compute a table by trying all uses of the row's lowest card."""
        span = jokers + 1
        if not row:
            return bytes(span) + bytes([NEVER]) * (3 * span) + bytes(2)
        low = (row & -row).bit_length() - 1 >> 1
        cost = 0 if low == wild else POINTS[low]
        known, digit, plain = self.tables, DIGIT << 2 * wild, RANKS << 26 | jokers << 30
        rest = row - (1 << 2 * low)
        left = None if rest & digit else known.get(rest | plain)
        left = left or self.table(rest, jokers, wild)
        least = list(left[: 4 * span].translate(DEARER[cost]))
        for run in self.runs_of(row, low, wild):
            if run.jokers <= jokers:
                rest = row - run.taken
                after = None if rest & digit else known.get(rest | plain)
                _lower(least, after or self.table(rest, jokers, wild), run, span)
        most = 0
        if jokers > 2:  # With fewer all is counted.
            most = max([(least[0] - least[n] + n - 1) // n for n in range(1, span)])
        least += left[4 * span] + cost, most
        return bytes(least)

    def _wild_table(self, row: int, jokers: int, wild: int) -> Table:
        """Compute a table from the other cards' table by adding runs with wild cards as themselves.

        The other cards' table is shared by all wild ranks; few of its values change.
        """
        span, digit, plain = jokers + 1, DIGIT << 2 * wild, RANKS << 26 | jokers << 30
        least = list(self.table(row & ~digit, jokers, wild))
        for run in self.wild_runs(row, wild):
            if run.jokers <= jokers:
                rest = row - run.taken
                after = None if rest & digit else self.tables.get(rest | plain)
                _lower(least, after or self.table(rest, jokers, wild), run, span)
        return bytes(least)

    def wild_runs(self, row: int, wild: int) -> tuple[Run, ...]:
        """Return the runs in which a wild card as itself is better than a joker.

        These are first lives, and a life of the wild card and jokers if no other card is left.

        >>> shape = Shape(3, 3, None, None, 1, False)
        >>> [bin(run.taken) for run in shape.wild_runs(0b010101, 1)]  # A 2 3, twos wild.
        ['0b10101', '0b100']
        """
        present = (row | row >> 1) & self.wild_reaches[wild]
        key = present | wild << 26 | 1 << 31
        runs = self.runs.get(key)
        if runs is None:
            lives = self.wild_lives[wild]
            runs = tuple([run for run in lives if run.taken & present == run.taken])
            self.runs[key] = runs
        return runs

    def _wild_lives(self) -> tuple[tuple[Run, ...], ...]:
        lives: list[list[Run]] = [[] for _ in range(RANKS)]
        for length in range(self.first_life, self.longest + 1):
            for lowest in range(RANKS + 2 - length):
                ranks = [place % RANKS for place in range(lowest, lowest + length)]
                taken = sum([1 << 2 * rank for rank in ranks])
                for rank in ranks:
                    lives[rank].append(Run(taken, 1, True, length >= self.second_life))
        for rank, found in enumerate(lives):
            found.append(Run(1 << 2 * rank, self.second_life, False, True))
        return tuple(map(tuple, lives))

    def _reaches(self) -> tuple[int, ...]:
        """Return, by lowest card, ranks that can be in a run with it; an ace is low and high."""
        upwards = [ONES & (1 << 2 * (low + self.longest)) - 1 for low in range(RANKS)]
        upwards[0] |= ONES ^ ONES & (1 << 2 * (RANKS + 1 - self.longest)) - 1
        return tuple(upwards)

    def runs_of(self, row: int, low: int, wild: int) -> tuple[Run, ...]:
        """Return all useful runs with the row's lowest card.

        >>> shape = Shape(3, 3, None, None, 1, False)
        >>> [(bin(run.taken), run.jokers) for run in shape.runs_of(0b0101, 0, RANKS)][:2]  # A 2.
        [('0b101', 1), ('0b1', 2)]
        """
        present = (row | row >> 1) & self.reaches[low]
        triple = self.triples and row >> 2 * low & DIGIT == DIGIT
        key = present | wild << 26 | triple << 30
        runs = self.runs.get(key)
        if runs is None:
            found = dict.fromkeys(self._runs(present, low, wild, triple=triple))
            runs = tuple([self.known.setdefault(run, run) for run in found])
            self.runs[key] = runs
        return runs

    def _runs(self, present: int, low: int, wild: int, *, triple: bool) -> Iterator[Run]:
        if triple:
            lives = self.first_life == 3, self.second_life == 3
            yield Run(DIGIT << 2 * low, 3 if low == wild else 0, *lives)
        reach = range(low + 1, min(RANKS, low + self.longest))
        yield from self._windows(present, low, low, reach, wild)
        if low == 0:
            yield from self._windows(
                present, 0, RANKS, range(RANKS + 1 - self.longest, RANKS), wild
            )
        if self._wants_single_sets() and low != wild:
            yield Run(1 << 2 * low, 2, False, False, is_sequence=False)

    def _wants_single_sets(self) -> bool:
        """Return whether a card and two jokers can be a set but not a sequence."""
        as_set = self.set_jokers is None or self.set_jokers > 1
        as_sequence = self.sequence_jokers is None or self.sequence_jokers > 1
        return as_set and not as_sequence and self.min_naturals == 1

    def _windows(
        self, present: int, low: int, place: int, reach: range, wild: int
    ) -> Iterator[Run]:
        """Yield runs of the card with some of the present cards in reach."""
        there = [rank for rank in reach if present >> 2 * rank & 1]
        for count in range(len(there), -1, -1):
            for chosen in combinations(there, count):
                ends = (*chosen, place)
                shortest = max(3, max(ends) - min(ends) + 1)
                if shortest > self.longest:
                    continue
                naturals = count + 1
                wilds = (wild in chosen) + (low == wild)
                taken = (1 << 2 * low) + sum(1 << 2 * rank for rank in chosen)
                for length in range(shortest, max(shortest, self._stretch()) + 1):
                    gaps = length - naturals
                    if self._fits(gaps, naturals, wilds):
                        yield Run(
                            taken,
                            gaps + wilds,
                            gaps == 0 and length >= self.first_life,
                            length >= self.second_life,
                        )

    def _stretch(self) -> int:
        """Return the length up to which jokers only make a life long enough."""
        return max(self.first_life, self.second_life)

    def _fits(self, gaps: int, naturals: int, wilds: int) -> bool:
        if gaps and naturals < self.min_naturals:
            return False
        if self.sequence_jokers is not None:
            return gaps <= self.sequence_jokers
        # Without a limit a wild card beside jokers is equivalent to a joker.
        return not (gaps and wilds and naturals > wilds and self.is_unlimited)

    def pure_only(self, row: int, wild: int) -> tuple[int, tuple[int, ...]]:
        """Return a row's least points if only pure sequences cost nothing, and these (RB 4.4).

        >>> Shape(3, 3, None, None, 1, False).pure_only(0b0100010101, RANKS)  # A 2 3 and a five.
        (5, (21,))
        """
        if not row:
            return 0, ()
        low = (row & -row).bit_length() - 1 >> 1
        cost, best = self.pure_only(row - (1 << 2 * low), wild)
        cost += 0 if low == wild else POINTS[low]
        for run in self.runs_of(row, low, wild):
            wilds = run.taken >> 2 * wild & DIGIT
            if run.is_pure and run.jokers == wilds:
                after, runs = self.pure_only(row - run.taken, wild)
                if after < cost:
                    cost, best = after, (run.taken, *runs)
        return cost, best
