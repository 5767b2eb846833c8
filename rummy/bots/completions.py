"""How many ways a hand can still become a declaration, each weighed by how likely it is.

A way is up to four groups, begun in the hand, that share no card (RB 3.1). Every card it lacks
makes it less likely, the more so the fewer copies are still unseen; jokers fill all but the pure
sequence. The sum over all ways tells good hands from bad ones long before the exact price does.
House rules bear on it: a sequence of four where one is asked, identical cards, jokers per group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from rummy.notation.cards import Card, Rank, Suit, card_of
from rummy.notation.rules import Rules

GROUPS_MAX: Final = 4
DECLARED: Final = 13
TWIN: Final = 16
"""Second copies have their bits this much higher than first ones."""
BEGUN_MAX: Final = 26
"""The likeliest begun groups are enough; more only cost time."""
# Chances of what is not begun yet: a set or run, a run, a pure run around one card of the hand.
LOOSE: Final = 0.15
LOOSE_RUN: Final = 0.10
LOOSE_PURE: Final = 0.07
ONE_JOKER: Final = 0.55
ONE_MORE: Final = 0.6
LIKELIEST: Final = 0.9
"""That some complete group grows by a card."""
LONGER: Final = 0.35
"""That a sequence grows to four, where the house asks for one."""


class Begun(NamedTuple):
    """A group of which the hand has two cards or more."""

    cards: int
    """The cards of the hand in it, as bits."""
    chance: float
    size: int
    jokers: int
    is_run: bool
    is_pure: bool
    is_long: bool = False
    """Whether it is a sequence of four."""


class House(NamedTuple):
    """The house rules that bear on the ways of a hand; as in RB 2 and 3 where nothing is said."""

    asks_long: bool = False
    """Whether some sequence has four cards or more (RB 3.2)."""
    has_triples: bool = False
    """Whether three identical cards are a pure sequence (RB 2.5)."""
    run_jokers: int = DECLARED
    set_jokers: int = DECLARED
    """How many jokers a sequence and a set may hold."""


class Completions(NamedTuple):
    """The weight of all ways, and of those that need each card of the hand."""

    total: float
    through: dict[Card, float]

    def without(self, card: Card) -> float:
        """Return the weight of the ways that are left when the card is thrown."""
        return max(self.total - self.through.get(card, 0.0), 0.0)


Chosen = tuple[int, int, int, int, bool, bool]
"""Groups, their cards, jokers left, runs, and whether one is pure, and one of four."""


def completions(
    hand: Sequence[Card],
    wild: Rank,
    unseen: Mapping[Card, int],
    reach: float,
    *,
    rules: Rules | None = None,
) -> Completions:
    """Return the ways of a hand of 13 or 14; `reach` is the chance to meet one unseen copy.

    Without `rules` no house rule bears on it.

    >>> from rummy.notation.cards import parse_cards
    >>> hand = parse_cards("5H 6H 7H 9C TC 4D 4S 4H KD QD 2C 8S PJ AS")
    >>> unseen = dict.fromkeys(parse_cards("JC 8C JD"), 2)
    >>> ways = completions(hand, Rank.THREE, unseen, reach=0.05)
    >>> ways.without(hand[0]) < ways.without(hand[10]) == ways.total
    True
    """
    house = House() if rules is None else _house(rules)
    return _Search(hand, wild, unseen, reach, house).run()


@lru_cache(maxsize=64)
def _house(rules: Rules) -> House:
    run, of_set = rules.max_jokers_per_sequence, rules.max_jokers_per_set
    return House(
        rules.life_of_four != "none",
        rules.identical_triples,
        DECLARED if run is None else run,
        DECLARED if of_set is None else of_set,
    )


class _Search:
    """One walk over the choices of begun groups."""

    def __init__(
        self,
        hand: Sequence[Card],
        wild: Rank,
        unseen: Mapping[Card, int],
        reach: float,
        house: House,
    ) -> None:
        self.house = house
        self.held = Counter(card for card in hand if not card.is_printed_joker)
        self.jokers = sum(1 for card in hand if card.is_joker(wild))
        self.wild, self.unseen, self.reach = wild, unseen, reach
        self.naturals = sorted(self.held)
        self.bits = {card: 1 << place for place, card in enumerate(self.naturals)}
        self.firsts = [0.0] * len(self.naturals)
        self.twins = [0.0] * len(self.naturals)
        self.most_jokers = min(house.run_jokers, house.set_jokers)
        self.begun = self._begun()

    def run(self) -> Completions:
        total = self._walk(0, 0, (0, 0, self.jokers, 0, False, not self.house.asks_long), 1.0)
        through = {
            card: self.twins[place] if self.held[card] > 1 else self.firsts[place]
            for place, card in enumerate(self.naturals)
        }
        return Completions(total, through)

    def _walk(self, first: int, used: int, chosen: Chosen, chance: float) -> float:
        """Sum up this choice of groups and all that add to it; note what goes through each card."""
        groups, size, jokers, runs, pure, long = chosen
        # A second copy alone is the first one by another name.
        total = 0.0 if used >> TWIN & ~used else chance * _rest(chosen, self.most_jokers)
        if groups == GROUPS_MAX:
            return total
        for at in range(first, len(self.begun)):
            cards, likely, length, needed, is_run, is_pure, is_long = self.begun[at]
            if cards & used or needed > jokers or size + length > DECLARED:
                continue
            then = (
                groups + 1,
                size + length,
                jokers - needed,
                runs + is_run,
                pure or is_pure,
                long or is_long,
            )
            through = self._walk(at + 1, used | cards, then, chance * likely)
            if through:
                total += through
                self._note(cards, through)
        return total

    def _note(self, cards: int, through: float) -> None:
        while cards:
            lowest = cards & -cards
            place = lowest.bit_length() - 1
            if place >= TWIN:
                self.twins[place - TWIN] += through
            else:
                self.firsts[place] += through
            cards ^= lowest

    def _begun(self) -> list[Begun]:
        found: list[Begun] = []
        for suit in Suit:
            row = [card_of(Rank(place % 13 + 1), suit) for place in range(14)]
            for low in range(12):
                found += self._runs(row[low : low + 3])
                four = row[low : low + 4]
                if len(four) == 4 and all(map(self.held.__contains__, four)):
                    found += [
                        Begun(cards, 1.0, 4, 0, True, True, True) for cards in self._laid(four)
                    ]
                elif self.house.asks_long and len(four) == 4:
                    found += self._long_runs(four)
        for rank in Rank:
            if rank is not self.wild:
                found += self._sets([card_of(rank, suit) for suit in Suit])
        if self.house.has_triples:
            # Two of the three have bits; the third could be nothing else but a twin of them.
            twins = (self.bits[card] for card, held in self.held.items() if held == 3)
            found += [Begun(bit | bit << TWIN, 1.0, 3, 0, True, True) for bit in twins]
        found.sort(key=lambda group: (-group.chance, group.jokers, -group.cards.bit_count()))
        return found[:BEGUN_MAX]

    def _runs(self, run: Sequence[Card]) -> list[Begun]:
        have = [card for card in run if card in self.held]
        if len(have) < 2:
            return []
        wilds = sum(1 for card in have if card.rank is self.wild)
        if len(have) == 3:
            # A card of the wild rank that stands for itself is a joker less elsewhere.
            return [Begun(cards, 1.0, 3, wilds, True, True) for cards in self._laid(have)]
        if wilds:
            return []
        lacking = sum(self.unseen.get(card, 0) for card in run if card not in self.held)
        return self._lacking_one(have, lacking, is_run=True)

    def _long_runs(self, run: Sequence[Card]) -> list[Begun]:
        """Return the sequence of four of which three cards are held."""
        have = [card for card in run if card in self.held]
        if len(have) != 3 or any(card.rank is self.wild for card in have):
            return []
        lacking = sum(self.unseen.get(card, 0) for card in run if card not in self.held)
        return self._lacking_one(have, lacking, is_run=True)

    def _sets(self, cards: Sequence[Card]) -> list[Begun]:
        have = [card for card in cards if card in self.held]
        lacking = sum(self.unseen.get(card, 0) for card in cards if card not in self.held)
        ways: list[Begun] = []
        for pair in combinations(have, 2):
            ways += self._lacking_one(pair, lacking, is_run=False)
        for size in (3, 4):
            for part in combinations(have, size):
                ways += [Begun(laid, 1.0, size, 0, False, False) for laid in self._laid(part)]
        return ways

    def _lacking_one(self, have: Sequence[Card], lacking: int, *, is_run: bool) -> list[Begun]:
        """Return two cards waiting for one of `lacking` copies, or for a joker."""
        chance, size = min(self.reach * lacking, LIKELIEST), len(have) + 1
        takes_joker = self.jokers and (self.house.run_jokers if is_run else self.house.set_jokers)
        ways = []
        for cards in self._laid(have):
            if chance:
                ways.append(Begun(cards, chance, size, 0, is_run, is_run, size > 3))
            if takes_joker:
                ways.append(Begun(cards, 1.0, size, 1, is_run, False, size > 3))
        return ways

    def _laid(self, cards: Sequence[Card]) -> list[int]:
        """Return the bits of these cards, once with each choice of copies."""
        laid = [0]
        for card in cards:
            bit = self.bits[card]
            copies = (bit, bit << TWIN) if self.held[card] > 1 else (bit,)
            laid = [so_far | copy for so_far in laid for copy in copies]
        return laid


@lru_cache(maxsize=4096)
def _rest(chosen: Chosen, most: int) -> float:
    """Return the chance of what these groups lack: whole groups, single cards, runs (RB 3.1).

    `most` is how many jokers a group takes.
    """
    groups, size, jokers, runs, pure, long = chosen
    missing = DECLARED - size
    slots = min(GROUPS_MAX - groups, missing // 3)
    if missing - 3 * slots > 3 or slots < 0:
        return 0.0
    more = missing - 3 * slots
    if runs + slots < 2 or (not pure and slots == 0) or (not long and not more):
        return 0.0
    chance, free = 1.0, slots
    if not pure:
        chance, free, runs = chance * LOOSE_PURE, free - 1, runs + 1
    for _ in range(free):
        if jokers >= 2 and most >= 2:
            jokers -= 2
        elif jokers and most:
            jokers, chance = jokers - 1, chance * ONE_JOKER
        else:
            chance *= LOOSE_RUN if runs < 2 else LOOSE
        runs += 1
    for _ in range(more):
        if jokers:
            jokers -= 1
        else:
            chance *= ONE_MORE if long else LONGER
        long = True
    return chance
