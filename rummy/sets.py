"""The walk over the choices of sets: the only groups that cross suits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from rummy.rows import (
    BOTH,
    DIGIT,
    FREE,
    LIFE,
    NEVER,
    ONES,
    POINTS,
    PURE,
    RANKS,
    ROW,
    Run,
    Shape,
    Table,
)
from rummy.suits import free_cost, least_of, share

ROW_BITS: Final = 26
SUITS: Final = (0, ROW_BITS, 2 * ROW_BITS, 3 * ROW_BITS)
COLUMN: Final = sum(DIGIT << shift for shift in SUITS)
"""The digits of the aces of all suits; shifted, those of any rank."""
ALL_ONES: Final = sum(ONES << shift for shift in SUITS)
STARTS: Final = sum((ONES >> 4) << shift for shift in SUITS)
"""Ranks that a run of three may start from without reaching the high ace: ace to jack."""
LEFT_OVER: Final = -1
UNWOUND_KEPT: Final = 20_000
LEVELS: Final = (2, 5, 14)
"""Tables are made for so many jokers, so that hands with fewer share them."""
SMALL: Final = 6
"""With so few natural cards a life may have to stand on a wild card and two jokers."""


class Laid(NamedTuple):
    """A group as found: its natural cards by index, and how many jokers it needs."""

    is_sequence: bool
    naturals: tuple[int, ...]
    jokers: int


class Choice(NamedTuple):
    """Sets chosen, as ranks and suits; the rows and tables of the suits that are left."""

    rows: tuple[int, ...]
    tables: tuple[Table, ...]
    jokers: int
    sets: tuple[tuple[int, tuple[int, ...]], ...]


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
    """Return how many naturals a set may have, most first; a pair needs a joker."""
    largest = 4 if max_set_size is None else min(4, max_set_size)
    pairs = shape.set_jokers != 0 and shape.min_naturals <= 2
    return tuple(size for size in (4, 3, 2) if size <= largest and (size > 2 or pairs))


class SetWalk:
    """One walk over the choices of sets of a hand, for one pair of lives."""

    def __init__(
        self, suits: int, jokers: int, wild: int, shape: Shape, sizes: tuple[int, ...]
    ) -> None:
        self.wild, self.shape, self.jokers = wild, shape, jokers
        self.level = LEVELS[0] if jokers <= LEVELS[0] else LEVELS[1 if jokers <= LEVELS[1] else 2]
        self.span = self.level + 1
        self.sizes = sizes if jokers else tuple(size for size in sizes if size > 2)
        self.suits = self._without_idle_wilds(suits)
        self.wild_digit = DIGIT << 2 * wild
        self.plain_key = RANKS << 26 | self.level << 30
        self.least = NEVER
        self.best: Choice | None = None

    def _without_idle_wilds(self, suits: int) -> int:
        """Drop wild cards that could only ever be jokers, so that rows are fewer and shorter."""
        wilds = suits & COLUMN << 2 * self.wild
        if not wilds or not self.shape.is_unlimited or self.shape.triples:
            return suits
        plain = suits ^ wilds
        if ((plain | plain >> 1) & ALL_ONES).bit_count() < SMALL:
            return suits
        for shift in SUITS:
            copies = wilds & ROW << shift
            if copies and not has_pure(plain & ROW << shift | copies, triples=False):
                suits ^= copies
        return suits

    def run(self) -> tuple[int, tuple[Laid, ...]] | None:
        """Return the least points and their groups, or None where no choice meets both lives."""
        suits = self.suits
        rows = (suits & ROW, suits >> 26 & ROW, suits >> 52 & ROW, suits >> 78)
        tables = tuple([self._table(row) for row in rows])
        self.least = least_of(tables, self.jokers, self.span, NEVER)
        if self.least == NEVER:
            return None  # Sets only take cards and jokers away from the lives.
        self.best = Choice(rows, tables, self.jokers, ())
        if self.least:
            self.ranks = tuple(self._ranks())
            self.hopes = [0]
            for rank, _ in reversed(self.ranks):
                self.hopes.insert(0, self.hopes[0] + self._hope(rank))
            self._grow(self.best, free_cost(tables, self.jokers), 0)
        return self.least, self._lay_out(self.best)

    def _ranks(self) -> Iterator[tuple[int, int]]:
        """Ranks that may make sets, the highest first, and what a second set of each could save."""
        held = (self.suits | self.suits >> 1) & ALL_ONES
        a, b, c, d = held & ROW, held >> 26 & ROW, held >> 52 & ROW, held >> 78
        several = a & b | c & d | (a | b) & (c | d)
        if 2 not in self.sizes:
            several = a & b & (c | d) | (a | b) & c & d
        while several:
            rank = several.bit_length() - 1 >> 1
            several ^= 1 << 2 * rank
            if rank != self.wild:
                copies = sum([self.suits >> shift + 2 * rank & DIGIT for shift in SUITS])
                yield rank, POINTS[rank] * (copies - 2) if copies > 3 else 0

    def _hope(self, rank: int) -> int:
        """Return no less than what sets of the rank can save."""
        column = self.suits >> 2 * rank & COLUMN
        if ((column | column >> 1) & ALL_ONES).bit_count() > 2:
            copies = sum([column >> shift & DIGIT for shift in SUITS])
        else:
            copies = min(2 * self.jokers, sum([column >> shift & DIGIT for shift in SUITS]))
        return POINTS[rank] * copies

    def _grow(self, choice: Choice, floor: int, at: int) -> None:
        """Weigh every choice with more sets, by ranks from the one at hand on."""
        rows, tables, jokers, sets = choice
        known, plain, wild_digit = self.shape.tables, self.plain_key, self.wild_digit
        for place in range(at, len(self.ranks)):
            if floor - self.hopes[place] >= self.least:
                return
            rank, again = self.ranks[place]
            hope, card = self.hopes[place + 1] + again, 1 << 2 * rank
            digit = 3 * card
            held = tuple([suit for suit in range(4) if rows[suit] & digit])
            if len(held) < (2 if jokers else 3):
                continue
            fewer = {}
            for suit in held:
                row = rows[suit] - card
                table = None if row & wild_digit else known.get(row | plain)
                fewer[suit] = table or self.shape.table(row, self.level, self.wild)
            for chosen in sets_of(held, self.sizes):
                left = jokers - 1 if len(chosen) == 2 else jokers
                if left < 0:
                    continue
                rest = list(tables)
                for suit in chosen:
                    rest[suit] = fewer[suit]
                lower = free_cost(rest, left)
                if lower - hope < self.least:
                    mine = list(rows)
                    for suit in chosen:
                        mine[suit] -= card
                    larger = Choice(tuple(mine), tuple(rest), left, (*sets, (rank, chosen)))
                    self._weigh(larger, lower)
                    self._grow(larger, lower, place if again else place + 1)

    def _table(self, row: int) -> Table:
        """Look a table up, past the questions that only wild cards raise."""
        table = None if row & self.wild_digit else self.shape.tables.get(row | self.plain_key)
        return table or self.shape.table(row, self.level, self.wild)

    def _weigh(self, choice: Choice, floor: int) -> None:
        """Keep the choice if it costs less than any before."""
        if floor < self.least:
            points = least_of(choice.tables, choice.jokers, self.span, self.least)
            if points < self.least:
                self.least, self.best = points, choice

    def _lay_out(self, choice: Choice) -> tuple[Laid, ...]:
        """Share jokers and demands among the suits as the best total has them."""
        laid = [
            Laid(False, tuple(13 * suit + rank for suit in suits), max(0, 3 - len(suits)))
            for rank, suits in choice.sets
        ]
        held = [suit for suit in range(4) if choice.rows[suit]]
        tables = [choice.tables[suit] for suit in held]
        shares = share(tables, BOTH, choice.jokers, self.least, self.span)
        if shares is None:
            raise AssertionError("a sum holds a figure that nothing leads to")
        for suit, (demand, jokers) in zip(held, shares, strict=True):
            laid += self._unwind(suit, choice.rows[suit], demand, jokers)
        return tuple(laid)

    def _unwind(self, suit: int, row: int, demand: int, jokers: int) -> Iterator[Laid]:
        """Walk a row's table back to the groups its figure stands for."""
        wild = self.wild if row >> 2 * self.wild & DIGIT else RANKS
        for run in self._runs_behind(row, demand, jokers, wild):
            wilds = run.taken >> 2 * wild & DIGIT
            yield Laid(run.is_sequence, cards_of(run.taken, suit), run.jokers - wilds)

    def _runs_behind(self, row: int, demand: int, jokers: int, wild: int) -> tuple[Run, ...]:
        """Return the runs behind a figure; rows repeat, so they are kept with the tables."""
        key = row | wild << 26 | self.level << 30 | demand << 34 | jokers << 36
        runs = self.shape.unwound.get(key)
        if runs is None:
            runs = tuple(self._walk_back(row, demand, jokers))
            if len(self.shape.unwound) >= UNWOUND_KEPT:
                self.shape.unwound.clear()
            self.shape.unwound[key] = runs
        return runs

    def _walk_back(self, row: int, demand: int, jokers: int) -> Iterator[Run]:
        while row:
            table = self._table(row)
            points = table[demand * self.span + jokers]
            if demand == FREE and points == table[4 * self.span]:
                return  # Every card of the row is left over.
            run, demand = self._step(points, row, demand, jokers)
            row -= run.taken
            if run.jokers != LEFT_OVER:
                jokers -= run.jokers
                yield run

    def _step(self, points: int, row: int, demand: int, jokers: int) -> tuple[Run, int]:
        """Return what became of the row's lowest card, and the demand that is left."""
        low = (row & -row).bit_length() - 1 >> 1
        left = self._table(row - (1 << 2 * low))
        cost = 0 if low == self.wild else POINTS[low]
        if left[demand * self.span + jokers] + cost == points:
            return Run(1 << 2 * low, LEFT_OVER, False, False), demand
        wild = self.wild if row >> 2 * self.wild & DIGIT else RANKS
        for run in self.shape.runs_of(row, low, wild):
            if run.jokers <= jokers:
                after = self._table(row - run.taken)
                for wanted in AFTER[run.is_life, run.is_pure][demand]:
                    if after[wanted * self.span + jokers - run.jokers] == points:
                        return run, wanted
        raise AssertionError("a table holds a figure that nothing leads to")


@lru_cache(maxsize=8_192)
def cards_of(taken: int, suit: int) -> tuple[int, ...]:
    """Return the cards that the digits of a row stand for.

    >>> cards_of(0b0101, 2)  # AH 2H
    (26, 27)
    """
    cards = []
    while taken:
        rank = (taken & -taken).bit_length() - 1 >> 1
        cards += [13 * suit + rank] * (taken >> 2 * rank & DIGIT)
        taken &= ~(DIGIT << 2 * rank)
    return tuple(cards)


@lru_cache(maxsize=128)
def sets_of(held: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the sets that cards of one rank in these suits make, the largest first."""
    return tuple(chosen for size in sizes for chosen in combinations(held, size))


def _demands_after(is_life: bool, is_pure: bool, demand: int) -> tuple[int, ...]:
    after = [demand]
    if is_life and demand in {LIFE, BOTH}:
        after.append(FREE if demand == LIFE else PURE)
    if is_pure and demand in {PURE, BOTH}:
        after.append(FREE if demand == PURE else LIFE)
    return tuple(after)


AFTER: Final = {
    (is_life, is_pure): tuple(_demands_after(is_life, is_pure, demand) for demand in range(4))
    for is_life in (False, True)
    for is_pure in (False, True)
}
"""Demands that may be left once a run is laid towards a demand."""
