"""Straight rummy by clause: the rules both pages state, the refusals, the published scores."""

from __future__ import annotations

import pytest

from rummy import IllegalMove, RulesError, StraightRules, format_cards, parse_cards, parse_move
from rummy.notation.states import changed
from rummy.straight import PROFILES, Deal, apply, legal_moves, outcome
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


def test_vip_has_at_most_four_players() -> None:
    with pytest.raises(RulesError):
        straight_deal(rules=VIP, players=5)


def test_a_turn_is_draw_then_lay_down_then_discard() -> None:
    deal = make_straight("5H 6H 7H KD 2C", "QS JD 3C", next_cards="8H")

    refused("not_your_turn", deal, "p2 ds")
    refused("draw_first", deal, "p1 x KD")
    refused("draw_first", deal, "p1 meld 5H 6H 7H")
    refused("draw_first", deal, "p1 lay KD 1")
    refused("cannot_turn_over", deal, "p1 turn")
    deal = play(deal, "p1 ds")
    refused("already_drawn", deal, "p1 do")
    refused("already_drawn", deal, "p1 turn")
    refused("card_not_held", deal, "p1 x QS")
    refused("card_not_held", deal, "p1 meld 4H 5H 6H")
    refused("unknown_move", deal, "p1 drop")
    refused("unknown_move", deal, "p1 show x 8H")
    deal = play(deal, "p1 meld 5H 6H 7H", "p1 lay 8H 1", "p1 x KD")

    assert format_cards(deal.melds[0].cards) == "5H 6H 7H 8H"
    assert (deal.melds[0].owner, deal.to_act, format_cards(deal.seats[0].hand)) == (1, 2, "2C")
    refused("not_in_deal", play(make_straight("KD", "QS", "9H"), "p2 leave"), "p2 ds")


def test_every_player_lays_off_on_any_meld_only_cards_that_fit() -> None:
    deal = make_straight("3H KD 2C", "2H QS JD 3C", melds="1: 4H 5H 6H | 2: 9C 9D 9H", up="TC")

    refused("no_such_meld", play(deal, "p1 ds"), "p1 lay 3H 3")
    refused("not_fitting", play(deal, "p1 ds"), "p1 lay KD 1")
    refused("not_fitting", play(deal, "p1 ds"), "p1 lay 3H 2")
    deal = play(deal, "p1 ds", "p1 lay 3H 1", "p1 x KD", "p2 ds", "p2 lay 2H 1")

    assert format_cards(deal.melds[0].cards) == "2H 3H 4H 5H 6H"
    assert [meld.owner for meld in deal.melds] == [1, 2]


def test_vip_does_not_let_the_taken_card_go_in_the_same_turn() -> None:
    deal = make_straight("KD QH 4C", "JS 8D", up="9C", next_cards="7S", rules=VIP)
    taken = play(deal, "p1 do")

    refused("same_card_discarded", taken, "p1 x 9C")
    assert "x 9C" not in texts(taken)
    next_turn = play(taken, "p1 x KD", "p2 ds", "p2 x 7S", "p1 ds", "p1 x 9C")
    assert format_cards(next_turn.pile[-1:]) == "9C"
    assert "x 7S" in texts(play(deal, "p1 ds"))  # From the stock it may go at once.
    assert "x 9C" in texts(play(make_straight("KD QH 4C", "JS 8D", up="9C"), "p1 do"))


@pytest.mark.parametrize("rules", [VIP, straight_rules("the last card is discarded")])
def test_the_last_card_is_discarded_if_the_rules_require_it(rules: StraightRules) -> None:
    deal = make_straight("5H 6H 7H 9D", "JS 8D", melds="2: 9C 9S 9H", next_cards="2S", rules=rules)
    deal = play(deal, "p1 ds", "p1 meld 5H 6H 7H", "p1 lay 9D 1")

    assert texts(deal) == ["x 2S"]
    assert points(play(deal, "p1 x 2S"))[0] > 0
    whole = make_straight("5H 6H", "JS 8D", up="QC", next_cards="7H", rules=rules)
    refused("must_discard_last", play(whole, "p1 ds"), "p1 meld 5H 6H 7H")


def test_a_meld_that_leaves_only_the_taken_card_is_refused() -> None:
    hands = ("5H 6H 7H", "JS 8D")
    refused(
        "must_discard_last",
        play(make_straight(*hands, up="QC", rules=VIP), "p1 do"),
        "p1 meld 5H 6H 7H",
    )
    lenient = straight_rules("no discard of the taken card")
    refused(
        "same_card_discarded",
        play(make_straight(*hands, up="QC", rules=lenient), "p1 do"),
        "p1 meld 5H 6H 7H",
    )
    fits = play(make_straight(*hands, up="8H", rules=lenient), "p1 do", "p1 meld 5H 6H 7H")
    assert texts(fits) == ["lay 8H 1"]


def test_by_default_all_cards_may_be_melded_without_a_discard() -> None:
    deal = make_straight("5H 6H 7H KC KD", "JS 8D", next_cards="KH", melds="2: 2C 2D 2H")
    deal = play(deal, "p1 ds", "p1 meld 5H 6H 7H", "p1 meld KC KD KH")

    ended = outcome(deal)
    assert ended is not None
    assert (ended.winner, ended.ending, ended.is_rummy) == (1, "out", True)
    refused("deal_over", deal, "p2 ds")


def test_one_meld_a_turn() -> None:
    deal = make_straight(
        "5H 6H 7H KC KD 3S", "JS 8D", next_cards="KH", rules=straight_rules("one meld a turn")
    )
    deal = play(deal, "p1 ds", "p1 meld 5H 6H 7H")

    refused("one_meld_a_turn", deal, "p1 meld KC KD KH")
    deal = play(deal, "p1 x 3S", "p2 ds", "p2 x JS", "p1 ds")
    assert "meld KC KD KH" in texts(deal)


def test_no_laying_off_before_an_own_meld() -> None:
    rules = straight_rules("no laying off before a meld")
    deal = make_straight(
        "5H 6H 7H 2S QD 4D", "JS 8D", melds="2: 9C 9S 9H", next_cards="9D", rules=rules
    )
    drawn = play(deal, "p1 ds")

    refused("meld_first", drawn, "p1 lay 9D 1")
    assert "lay 9D 1" in texts(play(drawn, "p1 meld 5H 6H 7H"))
    assert "lay 9D 1" in texts(play(make_straight("9D 2S", "JS", melds="2: 9C 9S 9H"), "p1 ds"))


def test_the_stock_is_refilled_by_shuffling_all_but_the_top() -> None:
    deal = make_straight("KD QH 4C", "JS 8D", up="9C", next_cards="7S", stock=1)
    before = deal.pile
    deal = play(deal, "p1 ds", "p1 x KD")

    assert sorted(deal.stock) == sorted(before)
    assert deal.stock != before
    assert (format_cards(deal.pile), deal.refills) == ("KD", 1)


def test_the_stock_is_refilled_by_turning_the_pile_over() -> None:
    deal = make_straight("KD QH 4C", "JS 8D", up="9C", next_cards="7S", stock=1, rules=VIP)
    before = deal.pile
    deal = play(deal, "p1 ds", "p1 x KD")
    assert texts(deal) == ["do", "turn"]
    refused("stock_empty", deal, "p2 ds")
    taken = play(deal, "p2 do", "p2 x JS")
    assert texts(taken) == ["do", "turn"]

    turned = play(deal, "p2 turn")
    assert (turned.pile, turned.stock) == (before[:1], (*before[1:], *parse_cards("KD")))
    assert (texts(turned), turned.refills, turned.to_act) == (["ds", "do"], 1, 2)
    again = play(_with_stock_of_one(turned), "p2 ds", "p2 x JS")
    assert again.ending == "exhausted"


def _with_stock_of_one(deal: Deal) -> Deal:
    return changed(deal, stock=deal.stock[-1:], pile=(*deal.stock[:-1], *deal.pile))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (VIP, [25, 0, 0, 0]),  # Alice 6, Bob 15, Carol 7, Dan 21.
        (straight_rules("the stock ends the deal"), [25, 0, 0, 0]),
        (straight_rules("the stock ends the deal", "penalty scoring"), [6, 15, 7, 21]),
    ],
)
def test_the_published_hands_when_the_stock_is_spent(
    rules: StraightRules, expected: list[int]
) -> None:
    deal = make_straight("6H", "5H TD", "7C", "TH 9S 2D", next_cards="KC", stock=1, rules=rules)
    deal = play(changed(deal, refills=rules.max_refills), "p1 ds", "p1 x KC")

    ended = outcome(deal)
    assert ended is not None
    assert (ended.winner, ended.ending) == (1, "exhausted")
    assert [result.hand_points for result in ended.results] == [6, 15, 7, 21]
    assert points(deal) == expected


def test_leavers_hand_below_the_winners_takes_nothing_from_the_gain() -> None:
    rules = straight_rules("the stock ends the deal")
    deal = make_straight("6H", "5H TD", "2D", next_cards="KC", stock=1, rules=rules)

    deal = play(deal, "p3 leave", "p1 ds", "p1 x KC")

    ended = outcome(deal)
    assert ended is not None
    assert (ended.winner, ended.ending) == (1, "exhausted")
    assert [result.hand_points for result in ended.results] == [6, 15, 2]
    assert points(deal) == [15 - 6, 0, 0]


def test_of_equal_hands_the_earlier_in_turn_order_wins() -> None:
    rules = straight_rules("the stock ends the deal")
    deal = make_straight("KD", "5H 2D", "7C", next_cards="KC", stock=1, rules=rules)

    assert points(play(deal, "p1 ds", "p1 x KC")) == [0, 3, 0]


@pytest.mark.parametrize(
    ("rules", "hand", "worth"),
    [
        (STRAIGHT, "AH", 1),
        (STRAIGHT, "AC", 1),
        (STRAIGHT, "QS", 10),
        (STRAIGHT, "KD", 10),
        (STRAIGHT, "5C", 5),
        (STRAIGHT, "7H", 7),
        (VIP, "AH", 1),
        (VIP.with_(aces="high", ace_points=15), "AH", 15),
        (straight_rules("aces high and low"), "AH", 15),
        (PROFILES["vip-high-ace-straight"], "AH", 15),
    ],
)
def test_the_published_values_of_cards(rules: StraightRules, hand: str, worth: int) -> None:
    deal = make_straight("2C", hand, next_cards="3C", melds="1: 4S 5S 6S", rules=rules)

    ended = outcome(play(deal, "p1 leave"))

    assert ended is not None
    assert ended.results[1].hand_points == worth


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


def test_a_player_who_laid_off_in_an_earlier_turn_does_not_go_rummy() -> None:
    deal = make_straight("5H 6H 7H 9D", "JS 8D", melds="2: 9C 9S 9H", next_cards="KS 2C QC")
    deal = play(deal, "p1 ds", "p1 lay 9D 1", "p1 x KS", "p2 ds", "p2 x JS")

    ended = outcome(play(deal, "p1 ds", "p1 meld 5H 6H 7H", "p1 x QC"))

    assert ended is not None
    assert (ended.ending, ended.is_rummy, ended.results[0].points) == ("out", False, 10)


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
