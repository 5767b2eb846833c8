"""The exact search behind `best_arrangement`.

Jokers cost nothing and are interchangeable, so they are a number. Sets are the only groups that
cross suits: the search walks over the choices of sets, and for each choice adds up what the
tables in `rows` say of the four suits, sharing out the jokers and the two lives among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from rummy.cards import Card, Rank
from rummy.rows import DIGIT, NEVER, ONES, POINTS, ROW, Run, Shape, Table
from rummy.rules import Rules

ROW_BITS: Final = 26
SUITS: Final = (0, ROW_BITS, 2 * ROW_BITS, 3 * ROW_BITS)
BIT_OF: Final = tuple(1 << ROW_BITS * (i // 13) + 2 * (i % 13) for i in range(52))
COLUMN: Final = sum(DIGIT << shift for shift in SUITS)
"""The digits of the aces of all suits; shifted, those of any rank."""
ALL_ONES: Final = sum(ONES << shift for shift in SUITS)
FREE, LIFE, PURE, BOTH = range(4)
"""The demands of a `Table`, by place."""
PARTS: Final = (
    ((FREE, FREE),),
    ((LIFE, FREE), (FREE, LIFE)),
    ((PURE, FREE), (FREE, PURE)),
    ((BOTH, FREE), (FREE, BOTH), (PURE, LIFE), (LIFE, PURE)),
)
"""How two suits can meet a demand between them."""
LEFT_OVER: Final = -1
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
    """Sets chosen, what is left in the suits, and the jokers left."""

    suits: int
    jokers: int
    sets: tuple[Laid, ...]


@lru_cache(maxsize=64)
def shapes_of(rules: Rules) -> tuple[Shape, ...]:
    """Return the searches whose best is the answer: one for each way to meet RB 3.1 and 3.2."""
    lives = {"none": ((3, 3),), "other": ((3, 4),), "any": ((4, 3), (3, 4))}[rules.life_of_four]
    return tuple(_shape(rules, *life) for life in lives)


@lru_cache(maxsize=64)
def _shape(rules: Rules, first_life: int, second_life: int) -> Shape:
    return _shared(
        first_life,
        second_life,
        rules.max_jokers_per_sequence,
        rules.max_jokers_per_set,
        rules.min_naturals,
        rules.identical_triples,
    )


@lru_cache(maxsize=64)
def _shared(
    first: int, second: int, sequence: int | None, sets: int | None, naturals: int, triples: bool
) -> Shape:
    """Return one shape for all rules that mean the same, so that they share their tables."""
    return Shape(first, second, sequence, sets, naturals, triples)


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

    >>> run = sum(BIT_OF[index] for index in (0, 11, 12))  # AC QC KC
    >>> has_pure(run, triples=False)
    True
    """
    for shift in SUITS:
        row = suits >> shift & ROW
        if triples and row & row >> 1 & ONES:
            return True
        places = (row | row >> 1) & ONES
        places |= (places & 1) << ROW_BITS  # The ace again, above the king.
        if places & places >> 2 & places >> 4:
            return True
    return False


def _gate(suits: int, jokers: int, wild: int, rules: Rules) -> str:
    """Name the gate that stays shut in a hand that has a pure sequence."""
    if rules.life_of_four == "none":
        return "one_sequence_only"
    plain = _shape(rules, 3, 3)
    found = _Search(suits, jokers, wild, plain, rules.max_set_size).run()
    return "one_sequence_only" if found is None else "no_sequence_of_four"


def _pure_only(suits: int, wild: int, rules: Rules) -> Solution:
    """Return the hand with nothing but pure sequences free (RB 4.4)."""
    shape, points, laid = _shape(rules, 3, 3), 0, []
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
        self._weigh(Choice(self.suits, self.jokers, ()))
        if self.best is None:
            return None  # Sets only take cards and jokers away from the lives.
        if self.least:
            ranks = [rank for rank in range(12, -1, -1) if self._may_set(rank)]
            hopes = [0]
            for rank in reversed(ranks):
                hopes.insert(0, hopes[0] + self._points_of(rank))
            self._walk(self.best, list(zip(ranks, hopes, strict=False)), 0)
        return Solution(self.least, self._lay_out(self.best), None)

    def _may_set(self, rank: int) -> bool:
        column = self.suits >> 2 * rank & COLUMN
        suits = ((column | column >> 1) & ALL_ONES).bit_count()
        wanted = 2 if self.jokers and 2 in self.sizes else 3
        return rank != self.wild and suits >= wanted

    def _points_of(self, rank: int) -> int:
        """All that the sets of a rank could ever save."""
        return POINTS[rank] * sum(self.suits >> shift + 2 * rank & DIGIT for shift in SUITS)

    def _walk(self, choice: Choice, ranks: Sequence[tuple[int, int]], at: int) -> None:
        """Weigh every choice of sets from the rank at hand on, the largest sets first."""
        if at == len(ranks):
            if choice.sets:
                self._weigh(choice)
            return
        rank, hope = ranks[at]
        if self._floor(choice) - hope >= self.least:
            return
        suits, jokers, sets = choice
        held = [i for i in range(rank, 52, 13) if suits >> ROW_BITS * (i // 13) + 2 * rank & DIGIT]
        for size in self.sizes:
            spent = max(0, 3 - size)
            if size <= len(held) and spent <= jokers:
                for cards in combinations(held, size):
                    laid = Laid(False, cards, spent)
                    left = suits - sum(BIT_OF[index] for index in cards)
                    self._walk(Choice(left, jokers - spent, (*sets, laid)), ranks, at)
                    if not self.least:
                        return
        self._walk(choice, ranks, at + 1)

    def _tables(self, suits: int) -> list[Table]:
        table, jokers, wild = self.shape.table, self.jokers, self.wild
        rows = (suits & ROW, suits >> 26 & ROW, suits >> 52 & ROW, suits >> 78)
        return [table(row, jokers, wild) for row in rows if row]

    def _floor(self, choice: Choice) -> int:
        """A bound from below: no demands, and all the jokers in every suit at once."""
        jokers = choice.jokers
        return sum(table.free[jokers] for table in self._tables(choice.suits))

    def _weigh(self, choice: Choice) -> None:
        """Keep the choice if the suits that are left cost less than any before."""
        jokers = choice.jokers
        tables = self._tables(choice.suits)
        if sum(table.free[jokers] for table in tables) >= self.least or not tables:
            return
        while len(tables) > 2:
            tables.append(merge(tables.pop(0), tables.pop(0), jokers))
        points = (
            tables[0].both[jokers] if len(tables) == 1 else both_of(tables[0], tables[1], jokers)
        )
        if points < self.least:
            self.least, self.best = points, choice

    def _lay_out(self, choice: Choice) -> tuple[Laid, ...]:
        """Share jokers and demands among the suits as the best total has them."""
        laid = list(choice.sets)
        rows = [choice.suits >> shift & ROW for shift in SUITS]
        tables = [self.shape.table(row, self.jokers, self.wild) for row in rows]
        after = [tables[3]]
        for table in (tables[2], tables[1]):
            after.insert(0, merge(table, after[0], choice.jokers))
        demand, jokers, points = BOTH, choice.jokers, self.least
        for suit in range(3):
            mine, demand, spent = share(tables[suit], after[suit], demand, jokers, points)
            jokers -= spent
            laid += self._unwind(suit, rows[suit], mine, spent)
            points = after[suit][demand][jokers]
        return (*laid, *self._unwind(3, rows[3], demand, jokers))

    def _unwind(self, suit: int, row: int, demand: int, jokers: int) -> Iterator[Laid]:
        """Walk a row's table back to the groups its figure stands for."""
        while row:
            table = self.shape.table(row, self.jokers, self.wild)
            run, demand = self._step(table[demand][jokers], row, demand, jokers)
            row -= run.taken
            if run.jokers >= 0:
                jokers -= run.jokers
                wilds = run.taken >> 2 * self.wild & DIGIT
                yield Laid(run.is_sequence, _cards(run.taken, suit), run.jokers - wilds)

    def _step(self, points: int, row: int, demand: int, jokers: int) -> tuple[Run, int]:
        """Return what became of the row's lowest card, and the demand that is left."""
        low = (row & -row).bit_length() - 1 >> 1
        left = self.shape.table(row - (1 << 2 * low), self.jokers, self.wild)
        cost = 0 if low == self.wild else POINTS[low]
        if left[demand][jokers] + cost == points:
            return Run(1 << 2 * low, LEFT_OVER, False, False), demand
        for run in self.shape.runs_of(row, low, self.wild if row >> 2 * self.wild & DIGIT else 13):
            if run.jokers <= jokers:
                after = self.shape.table(row - run.taken, self.jokers, self.wild)
                for wanted in demands_after(run, demand):
                    if after[wanted][jokers - run.jokers] == points:
                        return run, wanted
        raise AssertionError("a table holds a figure that nothing leads to")


def demands_after(run: Run, demand: int) -> Iterator[int]:
    """Demands that may be left once a run is laid towards a demand."""
    yield demand
    if run.is_life and demand in {LIFE, BOTH}:
        yield FREE if demand == LIFE else PURE
    if run.is_pure and demand in {PURE, BOTH}:
        yield FREE if demand == PURE else LIFE


def share(mine: Table, rest: Table, demand: int, jokers: int, points: int) -> tuple[int, int, int]:
    """Return my demand, the others' demand and my jokers that make up the points."""
    for own, others in PARTS[demand]:
        for spent in range(jokers + 1):
            if mine[own][spent] + rest[others][jokers - spent] == points:
                return own, others, spent
    raise AssertionError("a sum holds a figure that nothing leads to")


def both_of(a: Table, b: Table, jokers: int) -> int:
    """Return the least points of two suits that meet both lives between them."""
    least = NEVER
    for mine in range(jokers + 1):
        other = jokers - mine
        free, life, pure, both = a.free[mine], a.life[mine], a.pure[mine], a.both[mine]
        points = min(
            both + b.free[other],
            free + b.both[other],
            pure + b.life[other],
            life + b.pure[other],
        )
        least = min(least, points)
    return least


def merge(a: Table, b: Table, jokers: int) -> Table:
    """Return the table of two suits together."""
    free, life, pure, both = [], [], [], []
    for have in range(jokers + 1):
        f = l = p = t = NEVER  # noqa: E741
        for mine in range(have + 1):
            other = have - mine
            af, al, ap = a.free[mine], a.life[mine], a.pure[mine]
            bf, bl, bp = b.free[other], b.life[other], b.pure[other]
            f = min(f, af + bf)
            l = min(l, al + bf, af + bl)  # noqa: E741
            p = min(p, ap + bf, af + bp)
            t = min(t, a.both[mine] + bf, af + b.both[other], ap + bl, al + bp)
        free.append(f)
        life.append(l)
        pure.append(p)
        both.append(t)
    return Table(tuple(free), tuple(life), tuple(pure), tuple(both))
