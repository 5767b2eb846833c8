"""Straight rummy by clause: the rules both pages state, the refusals, the published scores."""

from __future__ import annotations

from typing import Any

import pytest

from rummy import IllegalMove, RulesError, StraightRules, format_cards, parse_cards, parse_move
from rummy.notation.states import changed
from rummy.straight import Deal, apply, legal_moves, outcome, winner
from rummy.straight.melds import fitting, laid_out
from rummy.straight.rules import HOUSE_RULES, PROFILES
from tests.builders.cards.straight import (
    STRAIGHT,
    VIP,
    make_straight,
    play,
    straight_deal,
    straight_rules,
)


def texts(deal: Deal) -> list[str]:
    return [move.text for move in legal_moves(deal, deal.to_act or 1)]


def refused(code: str, deal: Deal, text: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        apply(deal, parse_move(text))
    assert caught.value.code == code
    position = parse_move(text).position
    assert parse_move(text) not in legal_moves(deal, position)


def points(deal: Deal) -> list[int]:
    ended = outcome(deal)
    assert ended is not None
    return [result.points for result in ended.results]


@pytest.mark.parametrize(("players", "cards"), [(2, 10), (3, 7), (4, 7), (5, 6), (6, 6)])
def test_so_many_cards_are_dealt_to_so_many_players(players: int, cards: int) -> None:
    deal = straight_deal(players=players)

    assert [len(seat.hand) for seat in deal.seats] == [cards] * players
    assert (len(deal.pile), len(deal.stock)) == (1, 51 - cards * players)
    assert deal.to_act == 1


FIVE, LIFE = ("5H 6H 7H KD 2C", "QS JD 3C"), ("5H 6H 7H", "JS 8D")
NINES, DRAWN = {"melds": "2: 9C 9S 9H", "next_cards": "9D"}, ("p1 ds",)
ONE_MELD = {"rules": straight_rules("one meld a turn"), "next_cards": "KH"}
MELD_FIRST = {"rules": straight_rules("no laying off before a meld")} | NINES
LENIENT = {"rules": straight_rules("no discard of the taken card"), "up": "QC"}
LAST = {"rules": straight_rules("the last card is discarded"), "next_cards": "7H", "up": "QC"}


@pytest.mark.parametrize(
    ("code", "hands", "more", "moves"),
    [
        ("not_your_turn", FIVE, {}, ("p2 ds",)),
        ("draw_first", FIVE, {}, ("p1 x KD",)),
        ("draw_first", FIVE, {}, ("p1 meld 5H 6H 7H",)),
        ("draw_first", FIVE, {}, ("p1 lay KD 1",)),
        ("cannot_turn_over", FIVE, {}, ("p1 turn",)),
        ("already_drawn", FIVE, {}, (*DRAWN, "p1 do")),
        ("already_drawn", FIVE, {}, (*DRAWN, "p1 turn")),
        ("card_not_held", FIVE, {}, (*DRAWN, "p1 x QS")),
        ("card_not_held", FIVE, {}, (*DRAWN, "p1 meld 4H 5H 6H")),
        ("unknown_move", FIVE, {}, (*DRAWN, "p1 drop")),
        ("unknown_move", FIVE, {}, (*DRAWN, "p1 show x 8H")),
        ("not_in_deal", ("KD", "QS", "9H"), {}, ("p2 leave", "p2 ds")),
        ("no_such_meld", FIVE, NINES, (*DRAWN, "p1 lay 9D 3")),
        ("not_fitting", FIVE, NINES, (*DRAWN, "p1 lay KD 1")),
        ("same_card_discarded", FIVE, {"up": "9C", "rules": VIP}, ("p1 do", "p1 x 9C")),
        ("same_card_discarded", LIFE, LENIENT, ("p1 do", "p1 meld 5H 6H 7H")),
        ("must_discard_last", LIFE, LENIENT | {"rules": VIP}, ("p1 do", "p1 meld 5H 6H 7H")),
        ("must_discard_last", ("5H 6H", "JS 8D"), LAST, (*DRAWN, "p1 meld 5H 6H 7H")),
        ("meld_first", FIVE, MELD_FIRST, (*DRAWN, "p1 lay 9D 1")),
        (
            "one_meld_a_turn",
            ("5H 6H 7H KC KD 3S", "JS 8D"),
            ONE_MELD,
            (*DRAWN, "p1 meld 5H 6H 7H", "p1 meld KC KD KH"),
        ),
        ("deal_over", LIFE, {"next_cards": "2S"}, (*DRAWN, "p1 meld 5H 6H 7H", "p1 x 2S", "p2 ds")),
    ],
)
def test_a_move_that_the_rules_do_not_allow_is_refused_by_its_code(
    code: str, hands: tuple[str, ...], more: dict[str, Any], moves: tuple[str, ...]
) -> None:
    """Which moves are legal is compared with the reference; here are the codes of the others."""
    *before, text = moves

    refused(code, play(make_straight(*hands, **more), *before), text)


def test_a_turn_is_draw_then_lay_down_then_discard() -> None:
    deal = play(make_straight(*FIVE, next_cards="8H"), "p1 ds")

    deal = play(deal, "p1 meld 5H 6H 7H", "p1 lay 8H 1", "p1 x KD")

    assert format_cards(deal.melds[0].cards) == "5H 6H 7H 8H"
    assert (deal.melds[0].owner, deal.to_act, format_cards(deal.seats[0].hand)) == (1, 2, "2C")


# Alice 6, Bob 15, Carol 7, Dan 21.
PUBLISHED, ENDS = ("6H", "5H TD", "7C", "TH 9S 2D"), straight_rules("the stock ends the deal")


@pytest.mark.parametrize(
    ("rules", "hands", "leaver", "winner", "expected"),
    [
        (VIP, PUBLISHED, None, 1, [25, 0, 0, 0]),
        (ENDS, PUBLISHED, None, 1, [25, 0, 0, 0]),
        (ENDS.with_(scoring="penalty"), PUBLISHED, None, 1, [6, 15, 7, 21]),
        # A leaver's hand below the winner's takes nothing from the gain.
        (ENDS, ("6H", "5H TD", "2D"), 3, 1, [9, 0, 0]),
        # Of equal hands the earlier in turn order wins.
        (ENDS, ("KD", "5H 2D", "7C"), None, 2, [0, 3, 0]),
    ],
)
def test_the_published_hands_when_the_stock_is_spent(
    rules: StraightRules,
    hands: tuple[str, ...],
    leaver: int | None,
    winner: int,
    expected: list[int],
) -> None:
    deal = make_straight(*hands, next_cards="KC", stock=1, rules=rules)
    leaving = [f"p{leaver} leave"] if leaver else []
    deal = play(changed(deal, refills=rules.max_refills), *leaving, "p1 ds", "p1 x KC")

    ended = outcome(deal)
    assert ended is not None
    assert (ended.winner, ended.ending) == (winner, "exhausted")
    worths = [sum(map(rules.points_of, parse_cards(hand))) for hand in hands]
    assert [result.hand_points for result in ended.results] == worths
    assert points(deal) == expected


@pytest.mark.parametrize(
    ("rules", "before", "expected"),
    [
        (STRAIGHT, "", [56, 0, 0]),  # Twice 28.
        (VIP, "", [56, 0, 0]),
        (STRAIGHT, "1: 9C 9S 9H", [28, 0, 0]),
        (straight_rules("bonus instead of double"), "", [38, 0, 0]),
        (straight_rules("bonus instead of double"), "1: 9C 9S 9H", [28, 0, 0]),
        (straight_rules("penalty scoring"), "", [0, 36, 20]),
        (straight_rules("penalty scoring"), "1: 9C 9S 9H", [0, 18, 10]),
        (straight_rules("penalty scoring", "bonus instead of double"), "", [-10, 18, 10]),
    ],
)
def test_going_out_and_going_rummy(rules: StraightRules, before: str, expected: list[int]) -> None:
    deal = make_straight("5H 6H 7H", "JS 8D", "KC", melds=before, next_cards="QD", rules=rules)

    assert points(play(deal, "p1 ds", "p1 meld 5H 6H 7H", "p1 x QD")) == expected


def test_leaving_puts_the_seat_out_and_its_hand_counts() -> None:
    deal = make_straight("KD QH", "JS 8D", "3C 2D", up="9C")
    left = play(deal, "p2 leave", "p1 ds", "p1 x KD")
    assert left.to_act == 3

    ended = outcome(play(left, "p3 leave"))

    assert ended is not None
    assert (ended.winner, ended.ending) == (1, "last_standing")
    assert [result.how for result in ended.results] == ["won", "left", "left"]
    assert ended.results[0].points == 18 + 5


def test_a_miss_discards_and_the_third_in_a_row_puts_the_seat_out() -> None:
    deal = make_straight("KD QH 4C", "JS 8D", "3C 2D", up="9C", next_cards="7S", rules=VIP)
    assert format_cards(play(deal, "p1 ds", "p1 miss").pile) == "9C 7S"
    assert format_cards(play(deal, "p1 miss").pile) == "9C"
    assert format_cards(play(deal, "p1 do", "p1 miss").pile) == "KD"  # Not the taken card.

    away = [f"p{at} miss" for _ in range(2) for at in (1, 2, 3)]
    twice = play(deal, *away, "p1 ds", "p1 x 4C", "p2 miss", "p3 ds", "p3 x 3C")
    assert [seat.misses for seat in twice.seats] == [0, 3, 0]
    assert (twice.active, twice.to_act) == ((1, 3), 1)


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
    assert (VIP.players_max, VIP.refill, VIP.max_refills) == (4, "turn_over", 1)
    assert (STRAIGHT.players_max, STRAIGHT.refill, STRAIGHT.max_refills) == (6, "shuffle", 3)
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
