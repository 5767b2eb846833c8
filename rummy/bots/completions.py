"""The number of ways in which a hand can still become a declaration, weighted by probability.

A way is a set of up to four groups, begun in the hand, that share no card (RB 3.1). Each missing
card lowers its weight, more so if few copies are unseen; jokers can fill all groups except the pure
sequence. The sum over all ways separates good hands from bad ones long before the exact price does.
It depends on house rules: a required sequence of four, identical triples, jokers per group.
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
"""The distance between the bits of the first and the second copy of a card."""
BEGUN_MAX: Final = 26
"""The number of most likely begun groups that are used; more only take time."""
# Weights of groups not begun: a set or run, a run, a pure run around one card of the hand.
LOOSE: Final = 0.15
LOOSE_RUN: Final = 0.10
LOOSE_PURE: Final = 0.07
ONE_JOKER: Final = 0.55
ONE_MORE: Final = 0.6
LIKELIEST: Final = 0.9
"""The weight of a complete group growing by a card."""
LONGER: Final = 0.35
"""The weight of a sequence growing to four, if the rules require one."""


class Begun(NamedTuple):
    """A group of which the hand has two or more cards."""

    cards: int
    """The hand's cards in the group, as bits."""
    chance: float
    size: int
    jokers: int
    is_run: bool
    is_pure: bool
    is_long: bool = False
    """Whether the group is a sequence of four."""


class GroupRules(NamedTuple):
    """The house rules that affect the ways of a hand; the defaults are those of RB 2 and 3."""

    asks_long: bool = False
    """Whether a sequence of four or more cards is required (RB 3.2)."""
    has_triples: bool = False
    """Whether three identical cards are a pure sequence (RB 2.5)."""
    run_jokers: int = DECLARED
    set_jokers: int = DECLARED
    """The most jokers in a sequence and in a set."""


class Completions(NamedTuple):
    """The total weight of all ways, and the weight of those that need each card of the hand."""

    total: float
    through: dict[Card, float]

    def without(self, card: Card) -> float:
        """Return the weight of the ways left after discarding the card."""
        return max(self.total - self.through.get(card, 0.0), 0.0)


Chosen = tuple[int, int, int, int, bool, bool]
"""Groups, their cards, jokers left, runs, whether one is pure, whether one has four cards."""


def completions(
    hand: Sequence[Card],
    wild: Rank,
    unseen: Mapping[Card, int],
    reach: float,
    *,
    rules: Rules | None = None,
) -> Completions:
    """Return the ways of a hand of 13 or 14; `reach` is the chance to get one unseen copy.

    Without `rules` the default house rules apply.

    >>> from rummy.notation.cards import parse_cards
    >>> hand = parse_cards("5H 6H 7H 9C TC 4D 4S 4H KD QD 2C 8S PJ AS")
    >>> unseen = dict.fromkeys(parse_cards("JC 8C JD"), 2)
    >>> ways = completions(hand, Rank.THREE, unseen, reach=0.05)
    >>> ways.without(hand[0]) < ways.without(hand[10]) == ways.total
    True
    """
    group_rules = GroupRules() if rules is None else _group_rules(rules)
    return _Search(hand, wild, unseen, reach, group_rules).run()


@lru_cache(maxsize=64)
def _group_rules(rules: Rules) -> GroupRules:
    run, of_set = rules.max_jokers_per_sequence, rules.max_jokers_per_set
    return GroupRules(
        rules.life_of_four != "none",
        rules.identical_triples,
        DECLARED if run is None else run,
        DECLARED if of_set is None else of_set,
    )


class _Search:
    """A search over the choices of begun groups."""

    def __init__(
        self,
        hand: Sequence[Card],
        wild: Rank,
        unseen: Mapping[Card, int],
        reach: float,
        rules: GroupRules,
    ) -> None:
        self.rules = rules
        self.held = Counter(card for card in hand if not card.is_printed_joker)
        self.jokers = sum(1 for card in hand if card.is_joker(wild))
        self.wild, self.unseen, self.reach = wild, unseen, reach
        self.naturals = sorted(self.held)
        self.bits = {card: 1 << place for place, card in enumerate(self.naturals)}
        self.firsts = [0.0] * len(self.naturals)
        self.twins = [0.0] * len(self.naturals)
        self.most_jokers = min(rules.run_jokers, rules.set_jokers)
        self.begun = self._begun()

    def run(self) -> Completions:
        total = self._walk(0, 0, (0, 0, self.jokers, 0, False, not self.rules.asks_long), 1.0)
        through = {
            card: self.twins[place] if self.held[card] > 1 else self.firsts[place]
            for place, card in enumerate(self.naturals)
        }
        return Completions(total, through)

    def _walk(self, first: int, used: int, chosen: Chosen, chance: float) -> float:
        """Add the weights of this choice of groups and its extensions, in total and by card."""
        groups, size, jokers, runs, pure, long = chosen
        # A second copy alone is equivalent to the first.
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
                elif self.rules.asks_long and len(four) == 4:
                    found += self._long_runs(four)
        for rank in Rank:
            if rank is not self.wild:
                found += self._sets([card_of(rank, suit) for suit in Suit])
        if self.rules.has_triples:
            # Two of the three have bits; the third can only be another copy.
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
            # A card of the wild rank that stands for itself is not available as a joker.
            return [Begun(cards, 1.0, 3, wilds, True, True) for cards in self._laid(have)]
        if wilds:
            return []
        lacking = sum(self.unseen.get(card, 0) for card in run if card not in self.held)
        return self._lacking_one(have, lacking, is_run=True)

    def _long_runs(self, run: Sequence[Card]) -> list[Begun]:
        """Return the sequences of four of which three cards are held."""
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
        """Return two cards that need one of `lacking` copies or a joker."""
        chance, size = min(self.reach * lacking, LIKELIEST), len(have) + 1
        takes_joker = self.jokers and (self.rules.run_jokers if is_run else self.rules.set_jokers)
        ways = []
        for cards in self._laid(have):
            if chance:
                ways.append(Begun(cards, chance, size, 0, is_run, is_run, size > 3))
            if takes_joker:
                ways.append(Begun(cards, 1.0, size, 1, is_run, False, size > 3))
        return ways

    def _laid(self, cards: Sequence[Card]) -> list[int]:
        """Return the bits of these cards for each choice of copies."""
        laid = [0]
        for card in cards:
            bit = self.bits[card]
            copies = (bit, bit << TWIN) if self.held[card] > 1 else (bit,)
            laid = [so_far | copy for so_far in laid for copy in copies]
        return laid


@lru_cache(maxsize=4096)
def _rest(chosen: Chosen, most: int) -> float:
    """Return the weight of the missing groups, cards and runs (RB 3.1).

    `most` is the number of jokers a group may have.
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
