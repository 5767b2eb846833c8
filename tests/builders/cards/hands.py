"""Hands for the tests: random ones, late ones, and the nasty ones."""

from __future__ import annotations

import random
from collections import Counter

from rummy import PROFILES, Card, Rank, Rules
from rummy.notation.cards import PRINTED_JOKER, pack, wild_rank
from tests.builders.cards.reference import ReferenceRules

WORKED = "5H 6H 7H 9C TC JC PJ 4D 4S 4H KD QD 2C"
"""A hand of two points where kings are wild."""

CLASSES = ("random", "late", "suits", "block", "jokers")


def rules_of(rules: Rules) -> ReferenceRules:
    """The same house rules as the reference solver reads them."""
    return ReferenceRules(
        **{name: getattr(rules, name) for name in ReferenceRules.__dataclass_fields__}
    )


def any_rules(rng: random.Random) -> Rules:
    """Rules with every field that bears on the price of a hand drawn by chance."""
    prices = [("all", "sum"), ("all", "sum"), ("all", "flat"), ("pure_exempt", "sum")]
    unmet, unmet_points = rng.choice(prices)
    return PROFILES["total-rummy-points"].with_(
        decks=rng.choice([2, 2, 3]),
        printed_jokers_per_deck=rng.choice([0, 1, 1, 2, 4]),
        max_jokers_per_sequence=rng.choice([None, None, 0, 1, 2, 3]),
        max_jokers_per_set=rng.choice([None, None, 0, 1, 2, 3]),
        max_set_size=rng.choice([None, None, 3, 4, 5, 6]),
        min_naturals=rng.choice([1, 1, 1, 2, 3]),
        identical_triples=rng.random() < 0.3,
        life_of_four=rng.choice(["none", "none", "any", "other"]),
        loose_jokers=rng.random() < 0.3,
        unmet=unmet,
        unmet_points=unmet_points,
        cap=rng.choice([40, 60, 80, 120]),
    )


def deck_of(rules: Rules) -> list[Card]:
    decks = rules.decks_max
    return [*pack() * decks, *[PRINTED_JOKER] * (decks * rules.printed_jokers_per_deck)]


def hand_of(
    kind: str, rng: random.Random, rules: Rules, size: int = 13, most_jokers: int = 14
) -> tuple[list[Card], Card]:
    """A hand of a class and the card turned up for it."""
    while True:
        deck, wild = deck_of(rules), rng.choice(deck_of(rules))
        hand = _BUILDERS[kind](deck, wild_rank(wild), rng, size)
        if len(hand) == size and sum(c.is_joker(wild_rank(wild)) for c in hand) <= most_jokers:
            return hand, wild


def _random(deck: list[Card], wild: Rank, rng: random.Random, size: int) -> list[Card]:
    return rng.sample(deck, size)


def _suits(deck: list[Card], wild: Rank, rng: random.Random, size: int) -> list[Card]:
    """One suit or two, with the printed jokers."""
    kept = rng.sample(range(4), rng.choice([1, 2]))
    return rng.sample([card for card in deck if card.suit is None or card.suit in kept], size)


def _block(deck: list[Card], wild: Rank, rng: random.Random, size: int) -> list[Card]:
    """Five neighbouring ranks in all suits: everything fits everything."""
    low = rng.randint(1, 9)
    near = [card for card in deck if card.rank is None or low <= card.rank <= low + 4]
    return rng.sample(near, size)


def _jokers(deck: list[Card], wild: Rank, rng: random.Random, size: int) -> list[Card]:
    jokers = [card for card in deck if card.is_joker(wild)]
    naturals = [card for card in deck if not card.is_joker(wild)]
    count = min(len(jokers), rng.randint(2, 10))
    return rng.sample(jokers, count) + rng.sample(naturals, size - count)


def _late(deck: list[Card], wild: Rank, rng: random.Random, size: int) -> list[Card]:
    """Return a hand late in a deal: a run, then incomplete runs and sets, the rest random."""
    left = Counter(deck)
    hand: list[Card] = []

    def take(card: Card) -> None:
        if left[card] and len(hand) < size:
            left[card] -= 1
            hand.append(card)

    suit, low = rng.randrange(4), rng.randint(0, 10)
    for step in range(rng.choice([3, 3, 4])):
        take(Card(suit * 13 + (low + step) % 13))
    for _ in range(3):
        suit, low = rng.randrange(4), rng.randint(0, 11)
        if rng.random() < 0.5:
            for step in range(rng.choice([2, 3])):
                take(Card(suit * 13 + (low + step) % 13))
        else:
            for other in rng.sample(range(4), rng.choice([2, 3])):
                take(Card(other * 13 + low))
    rest = list(left.elements())
    return hand + rng.sample(rest, size - len(hand))


_BUILDERS = {"random": _random, "late": _late, "suits": _suits, "block": _block, "jokers": _jokers}


TOTAL = PROFILES["total-rummy-pool-101"]


VENGALA = PROFILES["vengala-points"]


OVERRIDES: list[Rules] = [
    TOTAL.with_(unmet="pure_exempt"),
    TOTAL.with_(max_jokers_per_sequence=1),
    TOTAL.with_(max_jokers_per_sequence=1, max_jokers_per_set=2),
    TOTAL.with_(max_jokers_per_sequence=0),
    TOTAL.with_(max_jokers_per_set=0, max_set_size=3),
    TOTAL.with_(max_jokers_per_sequence=2, life_of_four="other"),
    TOTAL.with_(min_naturals=2),
    TOTAL.with_(min_naturals=3, max_jokers_per_set=1),
    TOTAL.with_(min_naturals=2, max_jokers_per_sequence=2, loose_jokers=True),
    TOTAL.with_(life_of_four="any"),
    TOTAL.with_(life_of_four="other", unmet="pure_exempt"),
    TOTAL.with_(decks=3, identical_triples=True, unmet_points="flat"),
    VENGALA.with_(life_of_four="other", unmet="pure_exempt", unmet_points="sum"),
    VENGALA.with_(loose_jokers=False),
    VENGALA.with_(unmet_points="sum", life_of_four="none"),
]


RULE_SETS = [*PROFILES.values(), *OVERRIDES]


LAID = "5H 6H 7H | 9C TC JC | KD KS KC | 2C 2D 2H 2S"


WINNER = LAID.replace("|", "")


LOSER = "2H 3H 4H 8C 9C TC QD QS QC 4D 5S 8H KH"


POOR = "2D 4C 6D 8S TS QH AD 3D 5C 7S 9H JS KH"
