"""The walk over the choices of sets: the only groups that cross suits."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Final

from rummy.rows import (
    BOTH,
    DIGIT,
    NEVER,
    ONES,
    POINTS,
    RANKS,
    ROW,
    Laid,
    Shape,
    Table,
)
from rummy.suits import free_costs, least_of, share
from rummy.unwinding import runs_behind

FIRST: Final = itemgetter(0)
ROW_BITS: Final = 26
SUITS: Final = (0, ROW_BITS, 2 * ROW_BITS, 3 * ROW_BITS)
COLUMN: Final = sum(DIGIT << shift for shift in SUITS)
"""The digits of the aces of all suits; shifted, those of any rank."""
ALL_ONES: Final = sum(ONES << shift for shift in SUITS)
STARTS: Final = sum((ONES >> 4) << shift for shift in SUITS)
"""Ranks that a run of three may start from without reaching the high ace: ace to jack."""
LEVELS: Final = (2, 2, 2, 5, 5, 5, *(14,) * 9)
"""How many jokers tables are made for, by the hand's: hands with fewer share them."""
SMALL: Final = 6
"""With so few natural cards a life may have to stand on a wild card and two jokers."""


Place = tuple[int, int, int, bool, int]
"""A rank that may make a set: rank, points, copies, whether three suits hold it, so that a set
needs no joker, and what a second set of the rank could save."""


Choice = tuple[list[int], list[Table], int, tuple[tuple[int, tuple[int, ...]], ...]]
"""The rows and tables of the suits, and the jokers, that chosen sets leave; those, as ranks and
suits."""


Larger = tuple[int, tuple[int, ...], int, int, tuple[int, ...], list[Table]]
"""A choice to be: what it and all larger ones cost at least, what it costs by jokers, where to go
on from, its rank and suits, and the tables after it."""


def has_pure(suits: int, *, triples: bool) -> bool:
    """Whether the suits, four rows side by side, hold any pure sequence.

    >>> has_pure(1 << 0 | 1 << 22 | 1 << 24, triples=False)  # AC QC KC
    True
    """
    held = (suits | suits >> 1) & ALL_ONES
    low = held & held >> 2 & held >> 4 & STARTS
    high = held & held >> 22 & held >> 24 & COLUMN
    return bool(low or high or (triples and suits & suits >> 1 & ALL_ONES))


def set_sizes(shape: Shape, max_set_size: int | None) -> tuple[int, ...]:
    """Return how many naturals a set may have, most first; a pair needs a joker.

    >>> from rummy.rows import Shape
    >>> shape = Shape(3, 3, None, None, 1, False)
    >>> set_sizes(shape, None), set_sizes(shape, 3)
    ((4, 3, 2), (3, 2))
    """
    largest = 4 if max_set_size is None else min(4, max_set_size)
    pairs = shape.set_jokers != 0 and shape.min_naturals <= 2
    return tuple(size for size in (4, 3, 2) if size <= largest and (size > 2 or pairs))


class SetWalk:
    """One walk over the choices of sets of a hand, for one pair of lives."""

    def __init__(
        self, suits: int, jokers: int, wild: int, shape: Shape, sizes: tuple[int, ...]
    ) -> None:
        self.wild, self.shape, self.jokers = wild, shape, jokers
        self.level = LEVELS[jokers]
        self.span = self.level + 1
        self.sizes = sizes if jokers else tuple(size for size in sizes if size > 2)
        self.wild_digit = DIGIT << 2 * wild
        self.drops_wilds = self._has_idle_wilds(suits)
        self.plain_key = RANKS << 26 | self.level << 30
        rows = [suits & ROW, suits >> 26 & ROW, suits >> 52 & ROW, suits >> 78]
        self.rows = list(map(self._without_idle_wilds, rows)) if self.drops_wilds else rows
        self.least = NEVER
        self.best: Choice | None = None

    def _has_idle_wilds(self, suits: int) -> bool:
        """Whether wild cards in no first life may be taken for jokers."""
        wilds = COLUMN << 2 * self.wild
        if not suits & wilds or not self.shape.sets_wilds_apart:
            return False
        plain = suits & ~wilds
        return ((plain | plain >> 1) & ALL_ONES).bit_count() >= SMALL

    def _without_idle_wilds(self, row: int) -> int:
        """Drop wild cards that could only ever be jokers, so that rows are fewer and shorter."""
        if row & self.wild_digit:
            present = row | row >> 1
            for company in self.shape.wild_company[self.wild]:
                if company & present == company:
                    return row
            return row & ~self.wild_digit
        return row

    def run(self) -> tuple[int, tuple[Laid, ...]] | None:
        """Return the least points and their groups, or None where no choice meets both lives.

        >>> from rummy.rows import Shape
        >>> shape = Shape(3, 3, None, None, 1, False)
        >>> spades_and_clubs = 0b010101 << 78 | 0b010101 << 20  # A 2 3 and J Q K.
        >>> walk = SetWalk(spades_and_clubs, 0, 8, shape, (4, 3))
        >>> points, laid = walk.run()
        >>> points, len(laid)
        (0, 2)
        """
        rows = self.rows
        tables = [self._table(row) for row in rows]
        self.least = least_of(tables, self.jokers, self.span, NEVER)
        if self.least == NEVER:
            return None  # Sets only take cards and jokers away from the lives.
        best = self.best = rows, tables, self.jokers, ()
        if self.least:
            self.ranks = self._ranks()
            if self.ranks:
                self.hopes = self._hopes()
                self._grow(best, free_costs(tables, self.jokers), 0)
        return self.least, self._lay_out(self.best)

    def _ranks(self) -> list[Place]:
        """Return the ranks that may make sets, the highest first."""
        a, b, c, d = self.rows
        held = [(row | row >> 1) & ONES for row in self.rows]
        one, two = held[0] ^ held[1], held[0] & held[1]
        three = (one | two) & held[2]
        several = two | three | (one | two | held[2]) & held[3]
        whole = two & held[2] | (two | three) & held[3]
        if 2 not in self.sizes:
            several = whole
        several &= ~self.wild_digit
        ranks = []
        while several:
            shift = several.bit_length() - 1
            several ^= 1 << shift
            rank = shift >> 1
            copies = (a >> shift & 3) + (b >> shift & 3) + (c >> shift & 3) + (d >> shift & 3)
            points = POINTS[rank]
            again = points * (copies - 2) if copies > 3 else 0
            ranks.append((rank, points, copies, bool(whole >> shift & 1), again))
        return ranks

    def _hopes(self) -> list[list[int]]:
        """Return no less than what sets can save, by the pairs among them and the place to go on.

        A pair takes a joker, so there are no more pairs than jokers.
        """
        whole = [0]
        if not self.jokers:
            for _, points, copies, _, _ in reversed(self.ranks):
                whole.append(whole[-1] + points * copies)
            whole.reverse()
            return [whole]
        pairs: list[list[int]] = [[]]
        for _, points, copies, is_whole, _ in reversed(self.ranks):
            whole.append(whole[-1] + (points * copies if is_whole else 0))
            more = [] if is_whole else [2 * points] * (copies // 2)
            pairs.append(sorted(pairs[-1] + more, reverse=True) if more else pairs[-1])
        whole.reverse()
        if not pairs[-1]:
            return [whole] * (self.jokers + 1)
        pairs.reverse()
        return [
            [safe + sum(some[:jokers]) for safe, some in zip(whole, pairs, strict=True)]
            for jokers in range(self.jokers + 1)
        ]

    def _grow(self, choice: Choice, costs: tuple[int, ...], at: int) -> None:
        """Weigh every choice with more sets, by ranks from the one at hand on.

        None saves more than its sets' points: their cards could lie beside the smaller choice.
        """
        hopes, last = self.hopes, len(self.ranks)
        for lower, now, after, rank, chosen, tables in self._larger(choice, costs, at):
            left = len(now) - 1
            if not self.least:
                return
            if lower - hopes[left][after] >= self.least:
                continue
            rows = choice[0].copy()
            for suit in chosen:
                rows[suit] -= 1 << 2 * rank
            larger = rows, tables, left, (*choice[3], (rank, chosen))
            hope = hopes[left][after]
            points = least_of(tables, left, self.span, self.least + hope)
            if points < self.least:
                self.least, self.best = points, larger
            if after < last and points - hope < self.least:
                self._grow(larger, now, after)

    def _larger(self, choice: Choice, costs: tuple[int, ...], at: int) -> list[Larger]:
        """Return the choices with one set more that may yet be the best, the cheapest first."""
        rows, tables, jokers, _ = choice
        a, b, c, d = rows
        found, least, hopes, ranks = [], self.least, self.hopes, self.ranks
        known, plain, wild_digit = self.shape.tables, self.plain_key, self.wild_digit
        floor, hope = costs[-1], hopes[jokers]
        for place in range(at, len(ranks)):
            if floor - hope[place] >= least:
                break
            rank, points, _, _, again = ranks[place]
            shift = 2 * rank
            held = a >> shift & 3, b >> shift & 3, c >> shift & 3, d >> shift & 3
            fewer: dict[int, Table] = {}
            for chosen, left in sets_of(held, self.sizes, jokers):
                enough = least + hopes[left][place + 1] + again
                if costs[left] - points * len(chosen) >= enough:
                    continue
                rest = tables.copy()
                for suit in chosen:
                    if suit not in fewer:
                        row = rows[suit] - (1 << shift)
                        table = None if row & wild_digit else known.get(row | plain)
                        fewer[suit] = table or self._table(row)
                    rest[suit] = fewer[suit]
                then = free_costs(rest, left)
                if then[left] < enough:
                    after = place if again else place + 1
                    found.append((then[left], then, after, rank, chosen, rest))
        if len(found) > 1:
            found.sort(key=FIRST)
        return found

    def _table(self, row: int) -> Table:
        """Look a table up, past the questions that only wild cards raise."""
        if self.drops_wilds:
            row = self._without_idle_wilds(row)
        table = None if row & self.wild_digit else self.shape.tables.get(row | self.plain_key)
        return table or self.shape.table(row, self.level, self.wild)

    def _lay_out(self, choice: Choice) -> tuple[Laid, ...]:
        """Share jokers and demands among the suits as the best total has them."""
        rows, all_tables, jokers, sets = choice
        laid = [set_laid(rank, suits) for rank, suits in sets]
        held = [suit for suit in range(4) if rows[suit]]
        tables = [all_tables[suit] for suit in held]
        shares = share(tables, BOTH, jokers, self.least, self.span)
        if shares is None:
            raise AssertionError("a sum holds a figure that nothing leads to")
        whole = 4 * self.span
        for suit, table, (demand, own) in zip(held, tables, shares, strict=True):
            if demand or table[own] < table[whole]:
                figure = rows[suit], self.level, self.wild, demand, own
                for is_sequence, cards, spent in runs_behind(self.shape, figure):
                    laid.append((is_sequence, cards << SUITS[suit], spent))
        return tuple(laid)


@lru_cache(maxsize=256)
def set_laid(rank: int, suits: tuple[int, ...]) -> Laid:
    """Return the set of a rank in these suits; a pair needs a joker.

    >>> set_laid(12, (0, 1))  # KC KD
    (False, 1125899923619840, 1)
    """
    cards = sum(1 << SUITS[suit] + 2 * rank for suit in suits)
    return False, cards, max(0, 3 - len(suits))


@lru_cache(maxsize=1_024)
def sets_of(
    held: tuple[int, ...], sizes: tuple[int, ...], jokers: int
) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return the sets of one rank in the suits that hold it, each with the jokers it leaves.

    >>> sets_of((1, 1, 0, 2), (4, 3, 2), 0)
    (((0, 1, 3), 0),)
    """
    suits = [suit for suit in range(4) if held[suit]]
    return tuple(
        (chosen, jokers - (size == 2))
        for size in sizes
        for chosen in combinations(suits, size)
        if size > 2 or jokers
    )
