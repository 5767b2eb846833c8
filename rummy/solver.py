"""The search behind `best_arrangement`: a memoised walk over the cards of a hand.

Jokers cost nothing and are interchangeable, so they are a pool, a number. A wild-rank card that
stands for itself spends one of the pool, exactly as a joker in its place would: it matters only
for purity and where jokers per group are limited.

Sequences of six and more split into two of three and more over the same cards, so only lengths
three to five are built; six too where a life of four is asked, since 6 = 3 + 3 would lose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from rummy.cards import Card, Rank
from rummy.groups import LONGEST_SEQUENCE, Group, Kind
from rummy.rules import Rules

NO_NEED: Final = 0
NEED_SEQUENCE: Final = 1
NEED_LONG: Final = 2

Counts = tuple[int, ...]
"""How often each of the 52 cards is still to be placed."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A group found by the search: its cards standing for themselves and how many jokers."""

    is_sequence: bool
    naturals: tuple[int, ...]
    jokers: int
    triple: bool = False

    @property
    def length(self) -> int:
        return len(self.naturals) + self.jokers


Chain = tuple[Laid, "Chain"] | None
Found = tuple[int, Chain]


def solve(
    hand: Sequence[Card], wild: Rank, rules: Rules
) -> tuple[tuple[Group, ...], tuple[Card, ...], str | None]:
    """Return groups, deadwood and the gate that no arrangement passes, or None."""
    search = _Search(hand, wild, rules)
    best: tuple[int, Chain] | None = None
    unmet = "no_pure_sequence"
    for pure in search.pure_sequences(search.counts):
        unmet = "one_sequence_only" if unmet == "no_pure_sequence" else unmet
        counts, pool = search.without(search.counts, search.pool, pure)
        need = search.need_after(pure)
        found = search.walk(counts, pool, need)
        if found is not None and (best is None or found[0] < best[0]):
            best = found[0], (pure, found[1])
        if best is not None and best[0] == 0:
            break
        short = need == NEED_LONG and found is None and unmet == "one_sequence_only"
        if short and search.walk(counts, pool, NEED_SEQUENCE) is not None:
            unmet = "no_sequence_of_four"
    if rules.unmet == "pure_exempt" and (best is None or best[0] > 0):
        exempt = search.pure_only(search.counts)
        if exempt[1] is not None and (best is None or exempt[0] < best[0]):
            groups, deadwood = search.lay_out(exempt[1], attach=False)
            return groups, deadwood, unmet if best is None else None
    if best is None:
        return (), tuple(sorted(hand)), unmet
    groups, deadwood = search.lay_out(best[1], attach=not rules.loose_jokers)
    return groups, deadwood, None


@dataclass(slots=True)
class _Search:
    hand: Sequence[Card]
    wild: Rank
    rules: Rules
    counts: Counts = field(init=False)
    pool: int = field(init=False)
    longest: int = field(init=False)
    memo: dict[tuple[Counts, int, int], Found | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        held = Counter(card.index for card in self.hand)
        self.counts = tuple(held[index] for index in range(52))
        self.pool = sum(card.is_joker(self.wild) for card in self.hand)
        self.longest = 5 if self.rules.life_of_four == "none" else 6
        if self.rules.min_naturals > 1:
            self.longest = LONGEST_SEQUENCE

    def is_wild(self, index: int) -> bool:
        return index % 13 + 1 == self.wild

    def cost(self, index: int) -> int:
        return 0 if self.is_wild(index) else Rank(index % 13 + 1).points

    def need_after(self, pure: Laid) -> int:
        """What is still asked once this pure sequence is the first life (RB 3.1, 3.2)."""
        asked = self.rules.life_of_four
        if asked == "none" or (asked == "any" and pure.length >= 4):
            return NEED_SEQUENCE
        return NEED_LONG

    def without(self, counts: Counts, pool: int, laid: Laid) -> tuple[Counts, int]:
        left = list(counts)
        for index in laid.naturals:
            left[index] -= 1
            pool -= self.is_wild(index)
        return tuple(left), pool - laid.jokers

    def pure_sequences(self, counts: Counts) -> Iterator[Laid]:
        """Every pure sequence in the cards, wild cards standing for themselves (RB 2.1, 2.5)."""
        for base in range(0, 52, 13):
            for lowest in range(1, 13):
                for length in range(3, self.longest + 1):
                    if lowest + length > 15:
                        break
                    run = tuple(base + (place - 1) % 13 for place in range(lowest, lowest + length))
                    if not all(counts[index] for index in run):
                        break
                    yield Laid(True, run, 0)
        if self.rules.identical_triples:
            for index, copies in enumerate(counts):
                if copies >= 3:
                    yield Laid(True, (index,) * 3, 0, triple=True)

    def groups_with(self, counts: Counts, pool: int, card: int) -> Iterator[Laid]:
        """Every group worth building that holds the card, which is no wild card."""
        if self.rules.identical_triples and counts[card] >= 3:
            yield Laid(True, (card,) * 3, 0, triple=True)
        yield from self._sets_with(counts, pool, card)
        base, rank = card // 13 * 13, card % 13 + 1
        for place in (1, 14) if rank == 1 else (rank,):
            for length in range(3, self.longest + 1):
                for lowest in range(max(1, place - length + 1), min(place, 15 - length) + 1):
                    others = [
                        base + (other - 1) % 13
                        for other in range(lowest, lowest + length)
                        if other != place
                    ]
                    yield from self._sequences(counts, pool, card, others)

    def _sequences(
        self, counts: Counts, pool: int, card: int, others: Sequence[int]
    ) -> Iterator[Laid]:
        limit = self.rules.max_jokers_per_sequence
        present = [index for index in others if counts[index] > 0]
        most = pool if limit is None else min(pool, limit)
        for gaps in range(len(others) - len(present), min(most, len(others)) + 1):
            if gaps and 1 + len(others) - gaps < self.rules.min_naturals:
                break
            for chosen in combinations(present, len(others) - gaps):
                wilds = sum(self.is_wild(index) for index in chosen)
                if gaps + wilds <= pool:
                    yield Laid(True, (card, *chosen), gaps)

    def _sets_with(self, counts: Counts, pool: int, card: int) -> Iterator[Laid]:
        rules = self.rules
        others = [o for o in range(card % 13, 52, 13) if o != card and counts[o] > 0]
        largest = 4 if rules.max_set_size is None else min(4, rules.max_set_size)
        for size in range(largest, 0, -1):
            jokers = max(0, 3 - size)
            if jokers > pool or (jokers and size < rules.min_naturals):
                continue
            if rules.max_jokers_per_set is not None and jokers > rules.max_jokers_per_set:
                continue
            for chosen in combinations(others, size - 1):
                yield Laid(False, (card, *chosen), jokers)

    def _life_of_wilds(self, counts: Counts, pool: int, need: int) -> Laid | None:
        """A sequence made of one wild card as itself and jokers, the dearest way to a life."""
        jokers = 2 if need == NEED_SEQUENCE else 3
        limit = self.rules.max_jokers_per_sequence
        wilds = [index for index in range(self.wild - 1, 52, 13) if counts[index]]
        if need == NEED_SEQUENCE and self.rules.identical_triples and pool >= 3:
            for index in wilds:
                if counts[index] >= 3:
                    return Laid(True, (index,) * 3, 0, triple=True)
        if not wilds or pool <= jokers or self.rules.min_naturals > 1:
            return None
        if limit is not None and jokers > limit:
            return None
        return Laid(True, (wilds[0],), jokers)

    def walk(self, counts: Counts, pool: int, need: int) -> Found | None:
        """Return the least deadwood of what is left, or None where the need cannot be met."""
        key = counts, pool, need
        if key not in self.memo:
            self.memo[key] = self._walk(counts, pool, need)
        return self.memo[key]

    def _walk(self, counts: Counts, pool: int, need: int) -> Found | None:
        best: Found | None = None
        if need:
            life = self._life_of_wilds(counts, pool, need)
            if life is not None:
                left, rest = self.without(counts, pool, life)
                after = self.walk(left, rest, NO_NEED)
                if after is not None:
                    best = after[0], (life, after[1])
        card = next((i for i, n in enumerate(counts) if n and not self.is_wild(i)), None)
        if card is None:
            return best if need else (0, None)
        for laid in self.groups_with(counts, pool, card):
            if best is not None and best[0] == 0:
                return best
            left, rest = self.without(counts, pool, laid)
            after = self.walk(left, rest, self._need_left(need, laid))
            if after is not None and (best is None or after[0] < best[0]):
                best = after[0], (laid, after[1])
        left = (*counts[:card], counts[card] - 1, *counts[card + 1 :])
        after = self.walk(left, pool, need)
        if after is not None and (best is None or after[0] + self.cost(card) < best[0]):
            best = after[0] + self.cost(card), after[1]
        return best

    def _need_left(self, need: int, laid: Laid) -> int:
        if not laid.is_sequence or need == NO_NEED:
            return need
        return NO_NEED if need == NEED_SEQUENCE or laid.length >= 4 else need

    def pure_only(self, counts: Counts) -> Found:
        """Return the least deadwood when only pure sequences are free (RB 4.4)."""
        nothing = sum(n * self.cost(index) for index, n in enumerate(counts))
        best: Found = nothing, None
        for pure in self.pure_sequences(counts):
            left, _ = self.without(counts, self.pool, pure)
            after = self.pure_only(left)
            if after[0] < best[0]:
                best = after[0], (pure, after[1])
        return best

    def lay_out(self, chain: Chain, *, attach: bool) -> tuple[tuple[Group, ...], tuple[Card, ...]]:
        """Turn what the search found into cards, giving every joker its place."""
        laid: list[Laid] = []
        while chain is not None:
            laid.append(chain[0])
            chain = chain[1]
        left = Counter(card.index for card in self.hand)
        left.subtract(index for group in laid for index in group.naturals)
        jokers = [i for i in sorted(left.elements(), reverse=True) if i == 52 or self.is_wild(i)]
        spare = len(jokers) - sum(group.jokers for group in laid) if attach else 0
        groups = []
        for place, group in enumerate(laid):
            extra = self._room(group, spare) if place > 0 else 0
            spare -= extra
            wanted = group.jokers + extra
            standing, jokers = jokers[:wanted], jokers[wanted:]
            left.subtract(standing)
            groups.append(self._group(group, standing))
        return tuple(groups), tuple(Card(index) for index in sorted(left.elements()))

    def _room(self, group: Laid, spare: int) -> int:
        """How many spare jokers the group takes besides its own."""
        if group.triple:
            return 0
        if group.is_sequence:
            limit, size = self.rules.max_jokers_per_sequence, LONGEST_SEQUENCE
        else:
            limit, size = self.rules.max_jokers_per_set, self.rules.max_set_size or 14
        if len(group.naturals) < self.rules.min_naturals:
            return 0
        room = min(spare, size - group.length)
        return max(0, room if limit is None else min(room, limit - group.jokers))

    def _group(self, laid: Laid, jokers: Sequence[int]) -> Group:
        standing = [Card(index) for index in jokers]
        if not laid.is_sequence:
            return Group(Kind.SET, (*map(Card, sorted(laid.naturals)), *standing))
        if laid.triple:
            return Group(Kind.PURE_SEQUENCE, tuple(map(Card, laid.naturals)))
        places = {index % 13 + 1: Card(index) for index in laid.naturals}
        if 1 in places and max(places) > laid.length + len(jokers) - laid.jokers:
            places[14] = places.pop(1)  # The ace stands high.
        row = [
            places.get(place) or standing.pop(0) for place in range(min(places), max(places) + 1)
        ]
        while standing:  # Beyond the ends: above up to the high ace, then below.
            if min(places) + len(row) <= 14:
                row.append(standing.pop(0))
            else:
                row.insert(0, standing.pop(0))
        return Group(Kind.SEQUENCE if jokers else Kind.PURE_SEQUENCE, tuple(row))
