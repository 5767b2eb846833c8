"""The search over the choices of sets, the only groups with several suits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, product
from operator import itemgetter
from typing import Final

from rummy.solver.rows import BOTH, DIGIT, NEVER, ONES, POINTS, RANKS, ROW, Laid, Shape, Table
from rummy.solver.suits import free_cost, least_of, share
from rummy.solver.unwinding import runs_behind

FIRST: Final = itemgetter(0)
ROW_BITS: Final = 26
SUITS: Final = (0, ROW_BITS, 2 * ROW_BITS, 3 * ROW_BITS)
COLUMN: Final = sum(DIGIT << shift for shift in SUITS)
"""The digits of the aces of all suits; shifted, those of any rank."""
COLUMN_ONES: Final = sum(1 << shift for shift in SUITS)
ALL_ONES: Final = sum(ONES << shift for shift in SUITS)
STARTS: Final = sum((ONES >> 4) << shift for shift in SUITS)
"""Ranks that a run of three may start from without reaching the high ace: ace to jack."""
LEVELS: Final = (2, 2, 2, 5, 5, 5, *(14,) * 9)
"""By a hand's number of jokers: the number its tables are made for, to share tables."""
UNKNOWN: Final = -1
SMALL: Final = 6
"""With at most this many naturals a life may need a wild card and two jokers."""


Place = tuple[int, int, int, int]
"""A rank that can make a set: rank, points, its suits as a column of ones, and the points that
a second set of the rank could save."""


Hopes = list[tuple[int, ...]]
"""Upper bounds of the points that sets can save, by next rank, then by jokers."""


Choice = tuple[list[int], list[Table], int, tuple[tuple[int, tuple[int, ...]], ...]]
"""The rows and tables of the suits, and the jokers, that chosen sets leave; those, as ranks and
suits."""


Larger = tuple[int, int, int, int, tuple[int, ...], list[Table]]
"""A choice to be explored: its minimum cost, the remaining jokers, where to continue, its rank and
suits, and the tables after it."""


def has_pure(suits: int, *, triples: bool) -> bool:
    """Return whether the suits, four rows side by side, contain a pure sequence.

    >>> has_pure(1 << 0 | 1 << 22 | 1 << 24, triples=False)  # AC QC KC
    True
    """
    held = (suits | suits >> 1) & ALL_ONES
    low = held & held >> 2 & held >> 4 & STARTS
    high = held & held >> 22 & held >> 24 & COLUMN
    return bool(low or high or (triples and suits & suits >> 1 & ALL_ONES))


def set_sizes(shape: Shape, max_set_size: int | None) -> tuple[int, ...]:
    """Return the possible numbers of naturals of a set, most first; a pair needs a joker.

    >>> from rummy.solver.rows import Shape
    >>> shape = Shape(3, 3, None, None, 1, False)
    >>> set_sizes(shape, None), set_sizes(shape, 3)
    ((4, 3, 2), (3, 2))
    """
    largest = 4 if max_set_size is None else min(4, max_set_size)
    pairs = shape.set_jokers != 0 and shape.min_naturals <= 2
    return tuple(size for size in (4, 3, 2) if size <= largest and (size > 2 or pairs))


class SetWalk:
    """A search over the choices of sets of a hand, for one pair of lives."""

    def __init__(
        self, suits: int, jokers: int, wild: int, shape: Shape, sizes: tuple[int, ...]
    ) -> None:
        self.wild, self.shape, self.jokers = wild, shape, jokers
        self.level = LEVELS[jokers]
        self.span = self.level + 1
        self.pairs, self.sets = 2 in sizes and jokers > 0, sets_of(sizes)
        self.suits = suits
        self.wild_digit = DIGIT << 2 * wild
        self.drops_wilds = self._has_idle_wilds(suits)
        self.plain_key = RANKS << 26 | self.level << 30
        rows = [suits & ROW, suits >> 26 & ROW, suits >> 52 & ROW, suits >> 78]
        self.rows = list(map(self._without_idle_wilds, rows)) if self.drops_wilds else rows
        self.least = NEVER
        self.best: Choice = [], [], 0, ()

    def _has_idle_wilds(self, suits: int) -> bool:
        """Return whether wild cards outside first lives can be treated as jokers."""
        wilds = COLUMN << 2 * self.wild
        if not suits & wilds or not self.shape.sets_wilds_apart:
            return False
        plain = suits & ~wilds
        return ((plain | plain >> 1) & ALL_ONES).bit_count() >= SMALL

    def _without_idle_wilds(self, row: int) -> int:
        """Remove wild cards that can only be jokers, so that rows are shorter."""
        if row & self.wild_digit:
            present = row | row >> 1
            for company in self.shape.wild_company[self.wild]:
                if company & present == company:
                    return row
            return row & ~self.wild_digit
        return row

    def run(self) -> int | None:
        """Return the least points, or None if no choice has both lives; `groups` has its groups.

        >>> from rummy.solver.rows import Shape
        >>> shape = Shape(3, 3, None, None, 1, False)
        >>> spades_and_clubs = 0b010101 << 78 | 0b010101 << 20  # A 2 3 and J Q K.
        >>> walk = SetWalk(spades_and_clubs, 0, 8, shape, (4, 3))
        >>> walk.run(), len(walk.groups())
        (0, 2)
        """
        rows = self.rows
        known, plain, wild_digit = self.shape.tables, self.plain_key, self.wild_digit
        tables = [
            (not row & wild_digit and known.get(row | plain)) or self._table(row) for row in rows
        ]
        self.least = least_of(tables, self.jokers, self.span, NEVER)
        if self.least == NEVER:
            return None  # Sets only use cards and jokers that the lives could use.
        best: Choice = rows, tables, self.jokers, ()
        self.best = best
        if self.least:
            dearer = UNKNOWN if self.pairs else NEVER
            # With more jokers the lives seldom need all of them.
            if self.jokers == 1 and self.pairs:
                dearer = least_of(tables, 0, self.span, NEVER)
            self.ranks, self.hopes = self._ranks(pairs=dearer < NEVER)
            if self.ranks:
                self._grow(best, self.least, dearer, 0)
        return self.least

    def groups(self) -> tuple[Laid, ...]:
        """Return the groups of the least points, with their distribution of jokers and demands.

        >>> from rummy.solver.rows import Shape
        >>> shape = Shape(3, 3, None, None, 1, False)
        >>> walk = SetWalk(0b010101 << 78 | 0b010101 << 20, 0, 8, shape, (4, 3))
        >>> walk.run(), walk.groups()[0]  # J Q K of clubs.
        (0, (True, 22020096, 0))
        """
        rows, all_tables, jokers, sets = self.best
        laid = [set_laid(rank, suits) for rank, suits in sets]
        held = [suit for suit in range(4) if rows[suit]]
        tables = [all_tables[suit] for suit in held]
        shares = share(tables, BOTH, jokers, self.least, self.span)
        if shares is None:
            raise AssertionError("no distribution of jokers and demands gives the sum")
        whole = 4 * self.span
        for suit, table, (demand, own) in zip(held, tables, shares, strict=True):
            if demand or table[own] < table[whole]:
                figure = rows[suit], self.level, self.wild, demand, own
                for is_sequence, cards, spent in runs_behind(self.shape, figure):
                    laid.append((is_sequence, cards << SUITS[suit], spent))
        return tuple(laid)

    def _ranks(self, *, pairs: bool) -> tuple[list[Place], Hopes]:
        """Return the ranks that can make sets, the highest first, and bounds of their savings.

        A pair needs a joker, so there are at most as many pairs as jokers.
        """
        suits = self.suits
        present = (suits | suits >> 1) & ALL_ONES
        first = (present & ONES) + (present >> ROW_BITS & ONES) + (present >> 2 * ROW_BITS & ONES)
        last = present >> 3 * ROW_BITS
        two = first >> 1 & ONES
        whole = two & (first | last)
        several = (two | first & last if pairs else whole) & ~self.wild_digit
        safe, paired = 0, [0] * self.jokers
        ranks, hopes = [], [(0, *paired)]
        while several:
            shift = (several & -several).bit_length() - 1
            several &= several - 1
            points = POINTS[shift >> 1]
            column = suits >> shift
            copies = (column & COLUMN).bit_count() + (column >> 1 & COLUMN_ONES).bit_count()
            held = present >> shift & COLUMN_ONES
            twice = copies > 3 and copies + self.jokers > 5  # Two sets need six cards and jokers.
            if whole >> shift & 1:
                safe += points * (copies if twice else held.bit_count())
            else:
                paired = sorted(paired + [2 * points] * (copies // 2), reverse=True)[: self.jokers]
            ranks.append((shift >> 1, points, held, points * (copies - 2) if twice else 0))
            hopes.append(tuple(accumulate(paired, initial=safe)))
        ranks.reverse()
        hopes.reverse()
        return ranks, hopes

    def _grow(self, choice: Choice, points: int, dearer: int, at: int) -> None:
        """Evaluate all choices with more sets, from the given rank on.

        A choice saves at most its sets' points: their cards could be left over in the smaller
        choice, which costs `points`, and at least `dearer` with a joker less.
        """
        last = len(self.ranks)
        for lower, left, after, rank, chosen, tables in self._larger(choice, points, dearer, at):
            if not self.least:
                return
            hope = self.hopes[after][left]
            if lower - hope >= self.least:
                continue
            points = least_of(tables, left, self.span, self.least + hope)
            if points >= self.least + (hope if after < last else 0):
                continue
            rows = choice[0].copy()
            for suit in chosen:
                rows[suit] -= 1 << 2 * rank
            larger = rows, tables, left, (*choice[3], (rank, chosen))
            if points < self.least:
                self.least, self.best = points, larger
            if after < last and points - hope < self.least:
                self._grow(larger, points, UNKNOWN, after)

    def _larger(self, choice: Choice, points: int, dearer: int, at: int) -> list[Larger]:
        """Return the choices with one more set that can still be the best, the cheapest first."""
        rows, tables, jokers, before = choice
        found, least, hopes, ranks, sets = [], self.least, self.hopes, self.ranks, self.sets
        known, plain, wild_digit = self.shape.tables, self.plain_key, self.wild_digit
        for place in range(at, len(ranks)):
            if points - hopes[place][jokers] >= least:
                break
            rank, value, column, again = ranks[place]
            digit, hope = 1 << 2 * rank, hopes[place + 1]
            fewer: dict[int, Table] = {}
            for chosen, size, spent in sets[column_of(rows, rank) if again and before else column]:
                left = jokers - spent
                if left < 0:
                    break
                enough = least + hope[left] + again
                if spent:
                    if dearer == UNKNOWN:  # Without jokers the result is found quickly.
                        dearer = points if left else least_of(tables, 0, self.span, NEVER)
                    if dearer - value * size >= enough:
                        break
                elif points - value * size >= enough:
                    continue
                rest = tables.copy()
                for suit in chosen:
                    if suit not in fewer:
                        row = rows[suit] - digit
                        table = None if row & wild_digit else known.get(row | plain)
                        fewer[suit] = table or self._table(row)
                    rest[suit] = fewer[suit]
                lower = free_cost(rest, left)
                if lower < enough:
                    after = place if again else place + 1
                    found.append((lower, left, after, rank, chosen, rest))
        if len(found) > 1:
            found.sort(key=FIRST)
        return found

    def _table(self, row: int) -> Table:
        """Return a row's table, without the special cases of wild cards if possible."""
        if self.drops_wilds:
            row = self._without_idle_wilds(row)
        table = None if row & self.wild_digit else self.shape.tables.get(row | self.plain_key)
        return table or self.shape.table(row, self.level, self.wild)


@lru_cache(maxsize=256)
def set_laid(rank: int, suits: tuple[int, ...]) -> Laid:
    """Return the set of a rank in these suits; a pair needs a joker.

    >>> set_laid(12, (0, 1))  # KC KD
    (False, 1125899923619840, 1)
    """
    cards = sum(1 << SUITS[suit] + 2 * rank for suit in suits)
    return False, cards, max(0, 3 - len(suits))


@lru_cache(maxsize=16)
def sets_of(sizes: tuple[int, ...]) -> dict[int, tuple[tuple[tuple[int, ...], int, int], ...]]:
    """Return the sets of a rank by its suits: suits, number of cards, jokers used.

    >>> sets_of((4, 3))[column_of([1, 1, 0, 2], 0)]
    (((0, 1, 3), 3, 0),)
    """
    rows = product((0, 1), repeat=4)
    return {column_of(held, 0): tuple(_sets_of(held, sizes)) for held in rows}


def _sets_of(
    held: Sequence[int], sizes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    suits = [suit for suit in range(4) if held[suit]]
    for size in sizes:
        for chosen in combinations(suits, size):
            yield chosen, size, int(size == 2)


def column_of(rows: Sequence[int], rank: int) -> int:
    """Return the suits of a rank as a column of ones.

    >>> column_of([0b0100, 0, 0, 0], 1)
    1
    """
    return sum(
        [1 << shift for row, shift in zip(rows, SUITS, strict=True) if row >> 2 * rank & DIGIT]
    )
