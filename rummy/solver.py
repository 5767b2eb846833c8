"""The exact search behind `best_arrangement`.

Jokers cost nothing and are interchangeable, so they are a number. Sets are the only groups that
cross suits: the search walks over the choices of sets, and for each choice adds up what the
tables in `rows` say of the four suits, sharing out the jokers and the two lives among them.
"""

# ruff: noqa: PLR1730, FURB136 - in the innermost loops a comparison costs half of what `min` does.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from rummy.cards import Card, Rank
from rummy.rows import BOTH, DIGIT, FREE, LIFE, NEVER, ONES, POINTS, PURE, ROW, Run, Shape, Table
from rummy.rules import Rules

ROW_BITS: Final = 26
SUITS: Final = (0, ROW_BITS, 2 * ROW_BITS, 3 * ROW_BITS)
BIT_OF: Final = tuple(1 << ROW_BITS * (i // 13) + 2 * (i % 13) for i in range(52))
COLUMN: Final = sum(DIGIT << shift for shift in SUITS)
"""The digits of the aces of all suits; shifted, those of any rank."""
ALL_ONES: Final = sum(ONES << shift for shift in SUITS)
STARTS: Final = sum((ONES >> 4) << shift for shift in SUITS)
"""Ranks that a run of three may start from without reaching the high ace: ace to jack."""
PARTS: Final = (
    ((FREE, FREE),),
    ((LIFE, FREE), (FREE, LIFE)),
    ((PURE, FREE), (FREE, PURE)),
    ((BOTH, FREE), (FREE, BOTH), (PURE, LIFE), (LIFE, PURE)),
)
"""How two suits can meet a demand between them."""
LEFT_OVER: Final = -1
PLAIN_LIVES: Final = (3, 3)
LEVELS: Final = (2, 5, 14)
SMALL: Final = 6
"""With so few natural cards a life may have to stand on a wild card and two jokers."""


class Laid(NamedTuple):
    """A group as found: its natural cards by index, and how many jokers it needs."""

    is_sequence: bool
    naturals: tuple[int, ...]
    jokers: int


class Solution(NamedTuple):
    """The least points of a hand, the groups that reach them, and the gate that stayed shut."""

    points: int
    groups: tuple[Laid, ...]
    unmet: str | None


class Choice(NamedTuple):
    """Sets chosen, as ranks and suits; what is left in the suits, and the jokers left."""

    suits: int
    jokers: int
    sets: tuple[tuple[int, tuple[int, ...]], ...]


@lru_cache(maxsize=64)
def shapes_of(rules: Rules) -> tuple[Shape, ...]:
    """Return the searches whose best is the answer: one for each way to meet RB 3.1 and 3.2."""
    lives = {"none": ((3, 3),), "other": ((3, 4),), "any": ((4, 3), (3, 4))}[rules.life_of_four]
    return tuple(_shape(rules, lengths) for lengths in lives)


def _shape(rules: Rules, lives: tuple[int, int]) -> Shape:
    jokers = rules.max_jokers_per_sequence, rules.max_jokers_per_set
    return _shared(lives, jokers, rules.min_naturals, rules.identical_triples)


@lru_cache(maxsize=64)
def _shared(
    lives: tuple[int, int], jokers: tuple[int | None, int | None], naturals: int, triples: bool
) -> Shape:
    """Return one shape for all rules that mean the same, so that they share their tables."""
    return Shape(*lives, *jokers, naturals, triples)


def solve(hand: Sequence[Card], wild: Rank, rules: Rules) -> Solution:
    """Return the least points of a hand; the order of its cards makes no difference."""
    suits = jokers = total = 0
    for card in hand:
        index = card.index
        if index == 52:
            jokers += 1
        else:
            suits += BIT_OF[index]
            if index % 13 == wild - 1:
                jokers += 1
            else:
                total += POINTS[index % 13]
    best: Solution | None = None
    if has_pure(suits, triples=rules.identical_triples):
        for shape in shapes_of(rules):
            found = _Search(suits, jokers, wild - 1, shape, rules.max_set_size).run()
            if found is not None and (best is None or found.points < best.points):
                best = found
            if best is not None and best.points == 0:
                return best
        unmet = None if best else _gate(suits, jokers, wild - 1, rules)
    else:
        unmet = "no_pure_sequence"
    if rules.unmet == "pure_exempt" and unmet != "no_pure_sequence":
        exempt = _pure_only(suits, wild - 1, rules)
        if best is None or exempt.points < best.points:
            return exempt._replace(unmet=unmet)
    return best or Solution(total, (), unmet)


def has_pure(suits: int, *, triples: bool) -> bool:
    """Whether the suits hold any pure sequence.

    >>> has_pure(sum(BIT_OF[index] for index in (0, 11, 12)), triples=False)  # AC QC KC
    True
    """
    held = (suits | suits >> 1) & ALL_ONES
    low = held & held >> 2 & held >> 4 & STARTS
    high = held & held >> 22 & held >> 24 & COLUMN
    return bool(low or high or (triples and suits & suits >> 1 & ALL_ONES))


def _gate(suits: int, jokers: int, wild: int, rules: Rules) -> str:
    """Name the gate that stays shut in a hand that has a pure sequence."""
    if rules.life_of_four == "none":
        return "one_sequence_only"
    plain = _shape(rules, PLAIN_LIVES)
    found = _Search(suits, jokers, wild, plain, rules.max_set_size).run()
    return "one_sequence_only" if found is None else "no_sequence_of_four"


def _pure_only(suits: int, wild: int, rules: Rules) -> Solution:
    """Return the hand with nothing but pure sequences free (RB 4.4)."""
    shape, points, laid = _shape(rules, PLAIN_LIVES), 0, []
    for suit, shift in enumerate(SUITS):
        cost, runs = shape.pure_only(suits >> shift & ROW, wild)
        points += cost
        laid += [Laid(True, _cards(taken, suit), 0) for taken in runs]
    return Solution(points, tuple(laid), None)


def _cards(taken: int, suit: int) -> tuple[int, ...]:
    return tuple(13 * suit + rank for rank in range(13) for _ in range(taken >> 2 * rank & DIGIT))


class _Search:
    """One walk over the choices of sets of a hand, for one pair of lives."""

    def __init__(
        self, suits: int, jokers: int, wild: int, shape: Shape, max_set_size: int | None
    ) -> None:
        self.wild, self.shape, self.jokers = wild, shape, jokers
        # Tables for a few jokers more serve hands with fewer, so they are shared by level.
        self.level = next(level for level in LEVELS if level >= jokers)
        largest = 4 if max_set_size is None else min(4, max_set_size)
        pairs = shape.set_jokers != 0 and shape.min_naturals <= 2
        self.sizes = tuple(n for n in (4, 3, 2) if n <= largest and (n > 2 or pairs))
        self.suits = self._without_idle_wilds(suits)
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

    def run(self) -> Solution | None:
        """Return the best solution, or None where no choice meets both lives."""
        self.ranks = tuple(self._ranks())
        hopes = [self._hope(rank) for rank in self.ranks]
        self.hopes = [sum(hopes[place:]) for place in range(len(hopes))]
        self._walk(Choice(self.suits, self.jokers, ()), 0)
        if self.best is None:
            return None
        return Solution(self.least, self._lay_out(self.best), None)

    def _ranks(self) -> Iterator[int]:
        """Ranks that two suits or more hold, the highest first; they may make sets."""
        held = (self.suits | self.suits >> 1) & ALL_ONES
        a, b, c, d = held & ROW, held >> 26 & ROW, held >> 52 & ROW, held >> 78
        several = a & b | c & d | (a | b) & (c | d)
        while several:
            rank = several.bit_length() - 1 >> 1
            several ^= 1 << 2 * rank
            if rank != self.wild:
                yield rank

    def _hope(self, rank: int) -> int:
        """Return no less than what sets of the rank can save."""
        column = self.suits >> 2 * rank & COLUMN
        held = (column | column >> 1) & ALL_ONES
        if held.bit_count() > 2:
            return POINTS[rank] * (
                (column & ALL_ONES).bit_count() + 2 * (column & ~held).bit_count()
            )
        return POINTS[rank] * 2 * self.jokers

    def _walk(self, choice: Choice, at: int) -> None:
        """Weigh a choice of sets and every larger one, by ranks from the one at hand on."""
        suits, jokers, sets = choice
        tables = self._tables(suits)
        floor = floor_of(tables, jokers)
        if floor < self.least:
            points = least_of(tables, jokers, self.level + 1, self.least)
            if points < self.least:
                self.least, self.best = points, choice
        if self.best is None:
            return  # Sets only take cards and jokers away from the lives.
        for place in range(at, len(self.ranks)):
            if floor - self.hopes[place] >= self.least:
                return
            rank = self.ranks[place]
            column = suits >> 2 * rank
            for chosen, taken in sets_of((column | column >> 1) & ALL_ONES, self.sizes):
                spent = 1 if len(chosen) == 2 else 0
                if spent <= jokers:
                    larger = (*sets, (rank, chosen))
                    self._walk(Choice(suits - (taken << 2 * rank), jokers - spent, larger), place)

    def _tables(self, suits: int) -> list[Table]:
        """The tables of the suits that are not empty."""
        shape, level, wild = self.shape, self.level, self.wild
        rows = (suits & ROW, suits >> 26 & ROW, suits >> 52 & ROW, suits >> 78)
        return [shape.table(row, level, wild) for row in rows if row]

    def _lay_out(self, choice: Choice) -> tuple[Laid, ...]:
        """Share jokers and demands among the suits as the best total has them."""
        laid = [
            Laid(False, tuple(13 * suit + rank for suit in suits), max(0, 3 - len(suits)))
            for rank, suits in choice.sets
        ]
        held = [suit for suit, shift in enumerate(SUITS) if choice.suits >> shift & ROW]
        shares = share(self._tables(choice.suits), BOTH, choice.jokers, self.least, self.level + 1)
        if shares is None:
            raise AssertionError("a sum holds a figure that nothing leads to")
        for suit, (demand, jokers) in zip(held, shares, strict=True):
            laid += self._unwind(suit, choice.suits >> SUITS[suit] & ROW, demand, jokers)
        return tuple(laid)

    def _unwind(self, suit: int, row: int, demand: int, jokers: int) -> Iterator[Laid]:
        """Walk a row's table back to the groups its figure stands for."""
        while row:
            table = self.shape.table(row, self.level, self.wild)
            points = table[demand * (self.level + 1) + jokers]
            if demand == FREE and points == table[4 * (self.level + 1)]:
                return  # Every card of the row is left over.
            run, demand = self._step(points, row, demand, jokers)
            row -= run.taken
            if run.jokers >= 0:
                jokers -= run.jokers
                wilds = run.taken >> 2 * self.wild & DIGIT
                yield Laid(run.is_sequence, _cards(run.taken, suit), run.jokers - wilds)

    def _step(self, points: int, row: int, demand: int, jokers: int) -> tuple[Run, int]:
        """Return what became of the row's lowest card, and the demand that is left."""
        low = (row & -row).bit_length() - 1 >> 1
        span = self.level + 1
        left = self.shape.table(row - (1 << 2 * low), self.level, self.wild)
        cost = 0 if low == self.wild else POINTS[low]
        if left[demand * span + jokers] + cost == points:
            return Run(1 << 2 * low, LEFT_OVER, False, False), demand
        for run in self.shape.runs_of(row, low, self.wild if row >> 2 * self.wild & DIGIT else 13):
            if run.jokers <= jokers:
                after = self.shape.table(row - run.taken, self.level, self.wild)
                for wanted in demands_after(run, demand):
                    if after[wanted * span + jokers - run.jokers] == points:
                        return run, wanted
        raise AssertionError("a table holds a figure that nothing leads to")


@lru_cache(maxsize=256)
def sets_of(held: int, sizes: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return the sets of aces from the suits held, by suits and digits; shift for other ranks."""
    suits = [suit for suit, shift in enumerate(SUITS) if held >> shift & 1]
    return tuple(
        (chosen, sum(1 << SUITS[suit] for suit in chosen))
        for size in sizes
        for chosen in combinations(suits, size)
    )


def demands_after(run: Run, demand: int) -> Iterator[int]:
    """Demands that may be left once a run is laid towards a demand."""
    yield demand
    if run.is_life and demand in {LIFE, BOTH}:
        yield FREE if demand == LIFE else PURE
    if run.is_pure and demand in {PURE, BOTH}:
        yield FREE if demand == PURE else LIFE


def share(
    tables: Sequence[Table], demand: int, jokers: int, points: int, span: int
) -> list[tuple[int, int]] | None:
    """Return each suit's demand and jokers that make up the points, or None."""
    if not tables:
        return [] if demand == FREE and not points else None
    first, rest = tables[0], tables[1:]
    for own, others in PARTS[demand]:
        for spent in range(jokers + 1):
            left = points - first[own * span + spent]
            if left >= sum([table[jokers - spent] for table in rest]):
                shares = share(rest, others, jokers - spent, left, span)
                if shares is not None:
                    return [(own, spent), *shares]
    return None


def floor_of(tables: Sequence[Table], jokers: int) -> int:
    """Return a bound from below on what suits cost: no demands, jokers at their best rate."""
    floor = bare = rate = 0
    for table in tables:
        floor += table[jokers]
        bare += table[0]
        if table[-1] > rate:
            rate = table[-1]
    bare -= rate * jokers
    return floor if floor > bare else bare


def least_of(tables: list[Table], jokers: int, span: int, least: int) -> int:
    """Return the least points of suits that meet both lives between them, if less than `least`."""
    floor = sum([table[jokers] for table in tables])
    for place, table in enumerate(tables):
        if floor - table[jokers] + table[PURE * span + jokers] < least:
            others = tables[:place] + tables[place + 1 :]
            free, life = _free_and_life(others, jokers, span)
            for mine in range(jokers + 1):
                apart = table[PURE * span + mine] + life[jokers - mine]
                together = table[BOTH * span + mine] + free[jokers - mine]
                least = min(least, apart, together)
    return least


def _free_and_life(
    tables: Sequence[Table], jokers: int, span: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Return what suits cost together without a demand, and with one life among them."""
    if not tables:
        return bytes(span), bytes([NEVER]) * span
    free: Sequence[int] = tables[0][:span]
    life: Sequence[int] = tables[0][span : 2 * span]
    for table in tables[1:]:
        frees, lifes = [], []
        for have in range(jokers + 1):
            least = alive = NEVER
            for mine in range(have + 1):
                here, there = table[mine], free[have - mine]
                if here + there < least:
                    least = here + there
                if here + life[have - mine] < alive:
                    alive = here + life[have - mine]
                if table[span + mine] + there < alive:
                    alive = table[span + mine] + there
            frees.append(least)
            lifes.append(alive)
        free, life = frees, lifes
    return free, life
