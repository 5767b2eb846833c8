"""A measure of a hand: the ways to complete it to a valid declaration, weighted by probability.

A way is a choice of up to four partial groups of the hand without a common card (RB 3.1). Each
missing card lowers the weight of a way; fewer unseen copies lower it more. Jokers can complete any
group except the pure sequence. The sum of all weights distinguishes good hands from bad ones
earlier in a deal than the points of the best arrangement do. It depends on these house rules: a
required sequence of four cards, identical triples, and the number of jokers in a group.
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
"""The number of partial groups that are searched, the most likely first; more only take time."""
# Weights of groups without two cards in the hand: any group, a sequence, a pure sequence.
LOOSE: Final = 0.15
LOOSE_RUN: Final = 0.10
LOOSE_PURE: Final = 0.07
ONE_JOKER: Final = 0.55
ONE_MORE: Final = 0.6
"""The weight of adding a card to a complete group."""
LIKELIEST: Final = 0.9
"""The greatest weight of a missing card, however many copies of it are unseen."""
LONGER: Final = 0.35
"""The weight of adding a fourth card to a sequence, if the rules require one of four."""


class Begun(NamedTuple):
    """A partial or complete group: the hand has at least two of its cards."""

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
"""The chosen groups: their number, the number of their cards, the jokers left, the number of
sequences, whether one of them is pure, and whether one has four cards."""


def completions(
    hand: Sequence[Card],
    wild: Rank,
    unseen: Mapping[Card, int],
    reach: float,
    *,
    rules: Rules | None = None,
) -> Completions:
    """Return the weights of a hand of 13 or 14 cards.

    `reach` is the probability of getting one given unseen card.

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
    """A search over all choices of partial groups."""

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
        """Return the weight of this choice and of all that extend it; note it for their cards."""
        groups, size, jokers, runs, pure, long = chosen
        # A choice of only the second copy of a card equals one of the first; it counts once.
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
            # A card of the wild rank that is used at face value is not available as a joker.
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
        """Return groups of these cards that one of `lacking` unseen cards or a joker completes."""
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
        """Return the bits of these cards, once for each choice between first and second copies."""
        laid = [0]
        for card in cards:
            bit = self.bits[card]
            copies = (bit, bit << TWIN) if self.held[card] > 1 else (bit,)
            laid = [so_far | copy for so_far in laid for copy in copies]
        return laid


@lru_cache(maxsize=4096)
def _rest(chosen: Chosen, most: int) -> float:
    """Return the weight of the cards that the chosen groups lack for a declaration (RB 3.1).

    `most` is the maximum number of jokers in a group.
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
