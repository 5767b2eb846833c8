"""Formatted moves parse to the same moves, and each move has one text (RB 12.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy import Discard, NotationError, parse_card, parse_move


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
