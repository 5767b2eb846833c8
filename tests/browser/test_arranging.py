"""Sorting and arranging a hand on the page: heaps of a suit are no groups of the player."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from rummy import PROFILES, best_arrangement, format_cards, parse_cards
from rummy.notation.cards import CARDS, Rank

pytestmark = [pytest.mark.browser, pytest.mark.extended]

WILD = Rank.SEVEN
HANDS = 100
ARRANGE = (Path(__file__).parent / "arrange_hand.js").read_text()
DEALT = "2S 5S 9S 4H 5H 6H 3C KC 2D 9D JD QD PJ"


def arranged(page: Page, hands: list[dict[str, Any]], *steps: tuple[str, ...]) -> list[Any]:
    page.goto("/rules/")
    found: list[Any] = page.evaluate(ARRANGE, {"hands": hands, "steps": [list(s) for s in steps]})
    return found


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([], {"2S 5S 9S": "heap", "4H 5H 6H": "pure", "3C KC": "heap", "PJ": "heap"}),
        ([("group", "2S 5S 9S")], {"2S 5S 9S": "Not a sequence", "4H 5H 6H": "pure"}),
        ([("group", "2S 2D 9D")], {"2S 2D 9D": "Mixed suits", "5S 9S": "heap"}),
        ([("group", "9S 9D"), ("sort",)], {"2S 5S 9S": "heap", "2D 9D JD QD": "heap"}),
        ([("move", "9D", "2S")], {"2S 5S 9S 9D": "Mixed suits", "2D JD QD": "heap"}),
        ([("move", "2S", "9S")], {"5S 9S 2S": "heap"}),
        ([("group", "JD QD PJ"), ("sort",)], {"JD QD PJ": "sequence", "2D 9D": "heap"}),
    ],
)
def test_only_groups_the_player_made_are_judged(
    page: Page, steps: list[tuple[str, ...]], expected: dict[str, str]
) -> None:
    [hand] = arranged(page, [{"cards": DEALT.split(), "saved": []}], *steps)

    assert expected.items() <= dict(hand["pieces"]).items()
    heaps = {cards for cards, label in hand["pieces"] if label == "heap"}
    assert not heaps & set(hand["sent"])


def test_saved_groups_come_back_and_other_cards_are_sorted(page: Page) -> None:
    saved = [["2S", "2D", "9D"], ["4H", "5H", "6H"]]
    [hand] = arranged(page, [{"cards": DEALT.split(), "saved": saved}])

    assert hand["sent"] == ["2S 2D 9D", "4H 5H 6H"]
    assert dict(hand["pieces"])["5S 9S"] == "heap"
    assert hand["loose"] == []


def test_arranged_hand_is_as_readable_as_a_sorted_one(page: Page) -> None:
    """Every piece is a valid group, or one suit in order, as after sorting."""
    rules, chance = PROFILES["total-rummy-points"], Random(38)
    hands = []
    for _ in range(HANDS):
        cards = chance.sample(list(CARDS) * 2, 13)
        best = best_arrangement(cards, wild=WILD, rules=rules)
        hands.append({"cards": format_cards(cards).split(), "saved": [], "best": best.to_text()})

    for hand in arranged(page, hands, ("arrange",)):
        assert hand["loose"] == []
        for text, label in hand["pieces"]:
            cards = parse_cards(text)
            is_sorted = len({card.suit for card in cards}) == 1 and list(cards) == sorted(cards)
            assert label in {"pure", "sequence", "set", "jokers"} or (label, is_sorted) == (
                "heap",
                True,
            ), text
