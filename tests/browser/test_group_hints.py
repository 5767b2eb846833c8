"""What the page says of groups is what the rules say, for every house's profile."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from rummy import PROFILES, Rank, Rules, check_declaration, format_cards, judge_group, parse_cards
from rummy.notation.cards import CARDS, PRINTED_JOKER, Card

pytestmark = [pytest.mark.browser, pytest.mark.extended, pytest.mark.timeout(120)]

WILD = Rank.SEVEN
RANKS = "A23456789TJQK"
GROUPS, DECLARATIONS = 400, 200
HOUSE = ("max_jokers_per_sequence", "max_jokers_per_set", "max_set_size", "min_naturals")
HOUSE += ("identical_triples", "life_of_four", "loose_jokers", "unmet", "unmet_points")
HOUSE += ("least_loss",)
KINDS = {"pure_sequence": "pure", "sequence": "sequence", "set": "set", "jokers": "jokers"}

ASK = """async ({ rules, groups, hands }) => {
  window.gettext = (text) => text;
  window.interpolate = (text) => text;
  const page = await import("/static/js/groups.js");
  page.playBy(rules);
  const kinds = groups.map((codes) => page.kindOfGroup(codes, "7"));
  const shows = hands.map((laid) => page.whyNoShow(laid, [], "7") === "");
  const costs = hands.map((laid) => page.costs(laid, [], "7", 80));
  return { kinds, shows, costs: costs.map(({ total, each }) => [total, each]) };
}"""


def some_group(chance: Random, length: int | None = None) -> list[Card]:
    """Cards that are a group, or nearly one."""
    length = length or chance.randint(2, 6)
    suit, first = chance.choice("SHDC"), chance.randrange(13)
    run = [f"{RANKS[(first + at) % 13]}{suit}" for at in range(length)]
    alike = [f"{RANKS[first]}{each}" for each in ("SHDC" * 2)[:length]]
    cards = list(parse_cards(" ".join(run if chance.random() < 0.5 else alike)))
    for at in range(len(cards)):
        if chance.random() < 0.2:
            cards[at] = chance.choice([PRINTED_JOKER, *parse_cards("7S 7H 7C 7D"), *CARDS[:8]])
    return cards


def house_rules(rules: Rules) -> dict[str, Any]:
    return {name: getattr(rules, name) for name in HOUSE}


def texts(cards: list[Card]) -> list[str]:
    return format_cards(cards).split()


def declared(chance: Random) -> list[list[Card]]:
    """Thirteen cards in four groups, many of which can be shown."""
    lengths = [4, 3, 3, 3]
    chance.shuffle(lengths)
    return [some_group(chance, length) for length in lengths]


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_the_page_judges_groups_and_shows_as_the_rules_do(page: Page, name: str) -> None:
    rules, chance = PROFILES[name], Random(name)
    page.goto("/rules/")
    groups = [some_group(chance) for _ in range(GROUPS)]
    dealt = (declared(chance) for _ in range(DECLARATIONS))
    hands = [hand for hand in dealt if max(Counter(chain(*hand)).values()) <= rules.decks]

    said = page.evaluate(
        ASK,
        {
            "rules": house_rules(rules),
            "groups": [texts(group) for group in groups],
            "hands": [[texts(group) for group in hand] for hand in hands],
        },
    )

    for group, kind in zip(groups, said["kinds"], strict=True):
        verdict = judge_group(group, wild=WILD, rules=rules)
        assert kind == (KINDS[verdict.kind.value] if verdict.kind else "none"), texts(group)
    for hand, stands, (total, each) in zip(hands, said["shows"], said["costs"], strict=True):
        gates = {"no_pure_sequence", "one_sequence_only", "no_sequence_of_four"}
        verdict = check_declaration(hand, wild=WILD, rules=rules)
        reasons = set(verdict.reasons) - {"wrong_number_of_cards"}
        assert stands == (not reasons), hand
        if not reasons:
            assert (total, each) == (0, [0, 0, 0, 0])
        elif reasons & gates and rules.unmet_points == "flat":
            assert total == 80
    assert {*said["kinds"]} >= {"pure", "sequence", "set", "none"}
