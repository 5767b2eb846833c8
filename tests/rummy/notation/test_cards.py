"""RB 1: cards, their notation and points."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy import (
    Card,
    Discard,
    NotationError,
    Rank,
    format_cards,
    parse_card,
    parse_cards,
    parse_move,
    parse_rank,
)
from rummy.notation.cards import by_cost, pack, wild_rank


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("7h", "7H"), ("10D", "TD"), ("10♦", "TD"), ("A♣", "AC"), ("k♥️", "KH"), ("pj", "PJ")],
)
def test_spellings_of_a_card_parse_to_its_canonical_text(text: str, canonical: str) -> None:
    assert str(parse_card(text)) == canonical


@pytest.mark.parametrize(
    "text", ["", "H7", "1H", "11H", "7", "7X", "PJJ", "٧H", "7H7H", "**", "7ſ"]
)
def test_invalid_card_text_raises_bad_card(text: str) -> None:
    with pytest.raises(NotationError) as refusal:
        parse_card(text)

    assert refusal.value.code == "bad_card"


@given(st.lists(st.integers(0, 52)))
def test_formatted_cards_parse_to_the_same_cards(indexes: list[int]) -> None:
    cards = tuple(map(Card, indexes))

    assert parse_cards(format_cards(cards)) == cards


@pytest.mark.extended
@given(st.text(max_size=6))
def test_any_text_parses_or_raises_a_notation_error(text: str) -> None:
    try:
        card = parse_card(text)
    except NotationError:
        return
    assert parse_card(str(card)) is card


def test_copies_and_pickles_of_a_card_are_the_same_object() -> None:
    card = parse_card("7H")

    assert pickle.loads(pickle.dumps(card)) is card  # noqa: S301
    assert copy.deepcopy(card) is card
    with pytest.raises(AttributeError):
        card.index = 3  # type: ignore[misc]
    with pytest.raises(NotationError):
        Card(53)


def test_points_of_every_rank() -> None:
    ranks = "A23456789TJQK"
    points = [parse_rank(letter).points for letter in ranks]

    assert points == [10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert sum(card.points(Rank.SEVEN) for card in pack()) == 4 * (94 - 7)


def test_a_printed_joker_turned_up_makes_aces_wild() -> None:
    assert wild_rank(parse_card("PJ")) is Rank.ACE
    assert [card.is_joker(Rank.ACE) for card in parse_cards("PJ AS 2S")] == [True, True, False]


def test_sorting_by_cost_begins_with_the_most_points() -> None:
    cards = parse_cards("2C TS KD AS KC AC PJ")

    assert format_cards(sorted(cards, key=by_cost)) == "AC AS KC KD TS 2C PJ"


@pytest.mark.extended
@given(st.text(max_size=40))
def test_any_text_parses_as_a_move_or_raises(text: str) -> None:
    for line in (text, f"p1 {text}", f"p1 show {text} x 7H", f"p2 meld {text}"):
        try:
            move = parse_move(line)
        except NotationError:
            continue
        assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("p1 ds", "p1 ds"),
        ("p6 x 10h +30000", "p6 x TH +30000"),
        ("p2 show 5h 6h 7h|9c tc jc pj x kd", "p2 show 5H 6H 7H | 9C TC JC PJ x KD"),
        ("p2 meld 5H 6H 7H / 9C QD", "p2 meld 5H 6H 7H / 9C QD"),
        ("p2 meld / 9C", "p2 meld / 9C"),
        ("p2 meld", "p2 meld"),
        ("p3 leave +5", "p3 leave +5"),
        ("p3 miss +0", "p3 miss"),
    ],
)
def test_moves_print_canonically(text: str, canonical: str) -> None:
    assert str(parse_move(text)) == canonical


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p1 fold", "unknown_move"),
        ("1 ds", "bad_move"),
        ("p0 ds", "bad_move"),
        ("p1 ds 7H", "bad_move"),
        ("p1 x", "bad_card"),
        ("p1 x 7H 8H", "bad_card"),
        ("p1 show 5H 6H 7H", "no_finish_card"),
        ("p1 ds +", "bad_move"),
        ("p1 ds +-5", "bad_move"),
        ("p1 meld " + "5H " * 200, "bad_move"),
    ],
)
def test_invalid_move_text_raises_its_code(text: str, code: str) -> None:
    with pytest.raises(NotationError) as refusal:
        parse_move(text)

    assert refusal.value.code == code


def test_moves_are_values() -> None:
    assert parse_move("p1 x 7H") == Discard(1, parse_card("7H"))
