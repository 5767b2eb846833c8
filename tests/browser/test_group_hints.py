"""The page's group labels agree with the rules of every profile."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from rummy import PROFILES, Rank, Rules, check_declaration, format_cards, judge_group, parse_cards
from rummy.notation.cards import CARDS, PRINTED_JOKER, Card
from rummy.thirteen.endings import loss

pytestmark = [pytest.mark.browser, pytest.mark.extended]

WILD = Rank.SEVEN
RANKS = "A23456789TJQK"
GROUPS, DECLARATIONS = 400, 200
GROUP_RULES = ("max_jokers_per_sequence", "max_jokers_per_set", "max_set_size", "min_naturals")
GROUP_RULES += ("identical_triples", "life_of_four", "loose_jokers", "unmet", "unmet_points")
GROUP_RULES += ("least_loss",)
KINDS = {"pure_sequence": "pure", "sequence": "sequence", "set": "set", "jokers": "jokers"}

ASK = """async ({ rules, groups, hands }) => {
  window.gettext = (text) => text;
  window.interpolate = (text) => text;
  const page = await import("/static/js/table/groups.js");
  page.playBy(rules);
  const kinds = groups.map((codes) => page.kindOfGroup(codes, "7"));
  const shows = hands.map((laid) => page.whyNoShow(laid, [], "7") === "");
  const costs = hands.map((laid) => page.costs(laid, [], "7", { cap: 80 }));
  return { kinds, shows, costs: costs.map(({ total, each }) => [total, each]) };
}"""

ASK_PRICES = """async ({ rules, hands, asked }) => {
  window.gettext = (text) => text;
  const page = await import("/static/js/table/groups.js");
  page.playBy(rules);
  return hands.map((laid) => page.costs(laid, [], "7", { cap: 80, ...asked }).total);
}"""


def some_group(chance: Random, length: int | None = None) -> list[Card]:
    """Return cards that are a group, or nearly one."""
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
    return {name: getattr(rules, name) for name in GROUP_RULES}


def texts(cards: list[Card]) -> list[str]:
    return format_cards(cards).split()


def declared(chance: Random) -> list[list[Card]]:
    """Return thirteen cards in four groups, which can often be shown."""
    lengths = [4, 3, 3, 3]
    chance.shuffle(lengths)
    return [some_group(chance, length) for length in lengths]


@pytest.mark.parametrize("name", sorted(PROFILES))
@pytest.mark.soak
def test_page_judges_groups_and_shows_like_the_rules(page: Page, name: str) -> None:
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


@pytest.mark.parametrize("has_had_turn", [True, False])
def test_page_applies_minimum_loss_and_halving_to_a_hand(page: Page, has_had_turn: bool) -> None:
    """The hand costs on the page what the rules charge a loser (RB 4.6, 4.7)."""
    rules = PROFILES["total-rummy-points"].with_(least_loss=5, half_without_turn=True)
    page.goto("/rules/")
    safe = ["5H 6H 7H 8H", "9C TC JC"]
    hands = [[*safe, "4D 4S 4H", rest] for rest in ("2C 2S 2D", "2C 3S 2D", "AC 3S KD", "AC KS KD")]
    hands.append(["2H 4C", "9D KS QS JH TD", "3H 6S", "8H TC"])

    prices = page.evaluate(
        ASK_PRICES,
        {
            "rules": house_rules(rules),
            "hands": [[group.split() for group in hand] for hand in hands],
            "asked": {"paysHalf": not has_had_turn},
        },
    )

    costs = [0, 7, 23, 30, 80]
    losses = [loss(rules, cost, has_had_turn=has_had_turn, is_absent=False) for cost in costs]
    assert losses == ([5, 7, 23, 30, 80] if has_had_turn else [5, 5, 11, 15, 40])
    assert prices == losses


def test_hand_that_can_be_shown_costs_nothing_despite_minimum_loss(page: Page) -> None:
    rules = PROFILES["total-rummy-points"].with_(least_loss=5)
    page.goto("/rules/")
    asked = {"hands": [[["5H", "6H", "7H", "8H"], ["9C", "TC", "JC"]]], "asked": {"mayShow": True}}

    assert page.evaluate(ASK_PRICES, {"rules": house_rules(rules), **asked}) == [0]
