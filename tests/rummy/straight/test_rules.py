"""Melds, contradictory rules, and the winner of a game (RB 9.1, 9.2, 9.5)."""

from __future__ import annotations

import pytest

from rummy import IllegalMove, RulesError, format_cards, parse_cards
from rummy.straight import winner
from rummy.straight.melds import fitting, laid_out
from rummy.straight.rules import HOUSE_RULES, PROFILES
from tests.builders.cards.straight import STRAIGHT, VIP


@pytest.mark.parametrize(
    ("aces", "corner", "cards", "reason"),
    [
        ("low", False, "3H 4H 5H", None),
        ("low", False, "TS JS QS KS", None),
        ("low", False, "3H 4H 5D", "mixed_suits"),
        ("low", False, "3H 4H", "too_short"),
        ("low", False, "3H 4H 6H", "not_consecutive"),
        ("low", False, "AC AD AH", None),
        ("low", False, "AC AD AH AS", None),
        ("low", False, "AC AD 2H", "mixed_ranks"),
        ("low", False, "AH 2H 3H", None),
        ("low", False, "QH KH AH", "not_consecutive"),
        ("high", False, "AH 2H 3H", "not_consecutive"),
        ("high", False, "QH KH AH", None),
        ("both", False, "AH 2H 3H", None),
        ("both", False, "QH KH AH", None),
        ("both", False, "KH AH 2H", "not_consecutive"),
        ("both", True, "KH AH 2H", None),
        ("both", True, "JH QH KH AH 2H 3H", None),
    ],
)
def test_meld_is_accepted_or_refused_with_a_reason(
    aces: str, corner: bool, cards: str, reason: str | None
) -> None:
    rules = STRAIGHT.with_(aces=aces, round_the_corner=corner, ace_points=15)
    given = parse_cards(cards)

    if reason is None:
        assert format_cards(laid_out(given[::-1], rules)) == cards
    else:
        with pytest.raises(IllegalMove) as caught:
            laid_out(given, rules)
        assert caught.value.code == reason


@pytest.mark.parametrize(
    ("aces", "corner", "meld", "cards"),
    [
        ("low", False, "4H 5H 6H", "3H 7H"),
        ("low", False, "JH QH KH", "TH"),
        ("high", False, "JH QH KH", "AH TH"),
        ("high", False, "2H 3H 4H", "5H"),
        ("both", False, "JH QH KH AH", "TH"),
        ("both", True, "QH KH AH", "2H JH"),
        ("low", False, "5C 5D 5H", "5S"),
        ("low", False, "5C 5D 5H 5S", ""),
    ],
)
def test_cards_that_can_be_laid_off_on_a_meld(
    aces: str, corner: bool, meld: str, cards: str
) -> None:
    rules = STRAIGHT.with_(aces=aces, round_the_corner=corner, ace_points=15)

    assert format_cards(sorted(fitting(parse_cards(meld), rules))) == cards


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"round_the_corner": True}, "bad_aces"),
        ({"target": None}, "bad_target"),
        ({"rounds": 3}, "bad_rounds"),
        ({"game": "rounds"}, "bad_target"),
        ({"cards_for_six": 9}, "bad_cards"),
        ({"max_refills": -1}, "bad_value"),
        ({"aces": "wild"}, "bad_value"),
        ({"aces": "high"}, "bad_ace_points"),
        ({"aces": "both"}, "bad_ace_points"),
        ({"aces": "both", "round_the_corner": True, "ace_points": 1}, "bad_ace_points"),
        ({"players_max": 7}, "bad_players"),
    ],
)
def test_rules_that_contradict_themselves_are_refused(fields: dict[str, object], code: str) -> None:
    with pytest.raises(RulesError) as caught:
        STRAIGHT.with_(**fields)
    assert caught.value.code == code


def test_the_profiles_are_what_their_pages_say() -> None:
    assert {name: rules.target for name, rules in PROFILES.items()} == {
        "vip-straight": 150,
        "vip-high-ace-straight": 150,
        "straight": 100,
    }
    assert {name: (rules.aces, rules.ace_points) for name, rules in PROFILES.items()} == {
        "vip-straight": ("low", 1),
        "vip-high-ace-straight": ("high", 15),
        "straight": ("low", 1),
    }
    high_ace = PROFILES["vip-high-ace-straight"]
    assert high_ace.with_(name="vip-straight", aces="low", ace_points=1) == VIP
    assert VIP.with_(target=100).target == 100
    assert len(HOUSE_RULES) == 9  # The eight of S4, aces and round the corner apart.


@pytest.mark.parametrize(
    ("fields", "totals", "deals", "place"),
    [
        ({}, [99, 60], 4, None),
        ({}, [100, 60], 4, 0),
        ({}, [100, 120], 4, 1),
        ({}, [120, 120], 4, None),  # Tied leaders play on.
        ({"game": "rounds", "target": None, "rounds": 3}, [20, 60], 2, None),
        ({"game": "rounds", "target": None, "rounds": 3}, [20, 60], 3, 1),
        ({"scoring": "penalty"}, [104, 60, 70], 4, 1),
        ({"scoring": "penalty"}, [104, 60, 60], 4, None),
    ],
)
def test_the_winner_of_a_game(
    fields: dict[str, object], totals: list[int], deals: int, place: int | None
) -> None:
    assert winner(STRAIGHT.with_(**fields), totals, deals=deals) == place
