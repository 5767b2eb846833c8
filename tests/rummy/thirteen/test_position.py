"""One-line positions are read back, and impossible ones are refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rummy
from rummy import (
    PROFILES,
    NotationError,
    RummyError,
    Show,
    format_position,
    parse_move,
    parse_position,
)
from rummy.thirteen import Deal, apply, legal_moves, status
from tests.builders.cards import straight
from tests.builders.cards.dealing import deal_of, make_deal, play, random_play
from tests.builders.cards.hands import LAID, LOSER, POOR, WINNER
from tests.builders.cards.misprints import misprinted


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(sorted(PROFILES)), st.integers(2, 5))
def test_formatted_position_parses_to_the_same_deal(seed: int, name: str, players: int) -> None:
    deal = deal_of(seed, rules=PROFILES[name], players=players)

    for _, after in random_play(deal, random.Random(seed), most=80):
        line = format_position(after)
        assert parse_position(line, stream=after.stream) == after
        assert "\n" not in line


def test_positions_of_shows_and_ends_read_back() -> None:
    deal = make_deal(WINNER, LOSER, POOR, up="9D", next_cards="JH")
    wrong = play(deal, "p1 ds", "p1 show 2C 2D 2S | 9C x JH")
    shown = play(deal, "p1 ds", f"p1 show {LAID} x JH", "p2 meld 2H 3H 4H / 8C")
    ended = play(shown, "p3 miss")

    for position in (wrong, shown, ended):
        line = format_position(position)
        assert parse_position(line, stream=deal.stream) == position


@pytest.mark.parametrize(
    "spoil",
    [
        lambda line: line.replace("total-rummy-pool-101", "nobody"),
        lambda line: line + " more",
        lambda line: line.replace("JH", "2C", 1),
        lambda line: line.replace(" 1 0 ", " 7 0 "),
        lambda line: line.replace(" 1 0 ", " 1s 0 "),
        lambda line: line.replace(" 1 0 ", " 7s 0 "),
        lambda line: line.replace(" 1 0 ", " 2s 0 ").replace("2H3H4H8C9CTCQDQSQC4D5S8HKH:", "-:"),
        lambda line: line.replace(" 1 0 - ", " - 0 show:3:KD?2 "),
        lambda line: line.replace(" 1 0 ", " - 0 "),
        lambda line: line.replace("active", "asleep", 1),
        lambda line: line.replace(":30000", ":-1", 1),
        lambda line: line.replace(" - ", " show:9 "),
        lambda line: line.replace(" 1 0 ", " 1 x "),
        lambda line: line.replace("/", ""),
        lambda line: line.replace(":30000", ":30001", 1),
        lambda line: line.replace(":0:30000", ":3:30000", 1),
        lambda line: line.replace(" 1 0 ", " 1 2 "),
        lambda line: line.replace(":active:0:", ":active:5:", 1),
        lambda line: line.replace(":active:0:", ":first_drop:81:", 1),
        lambda line: line.replace(":active:0:", ":first_drop:20:", 1),
        lambda line: line.replace(":30000/", ":30000:QHQHQH/"),
        lambda line: line.replace(":30000/", ":30000:-:too_short/"),
        lambda line: line.replace(" 1 0 - ", " - 0 last_standing:1 "),
        lambda line: line.replace(" 1 0 - ", " - 0 exhausted:1?2 "),
        lambda line: line.replace(" 1 0 - ", " - 0 show:1 "),
        lambda line: line.replace("9D! ", "9D8D! "),
    ],
)
def test_positions_that_cannot_be_are_refused(spoil: object) -> None:
    line = format_position(make_deal(WINNER, LOSER, up="9D"))

    with pytest.raises(RummyError):
        parse_position(spoil(line))  # type: ignore[operator]


def test_position_with_an_invalid_show_is_refused() -> None:
    deal = make_deal(WINNER, LOSER, up="9D", next_cards="JH")
    line = format_position(play(deal, "p1 ds", f"p1 show {LAID} x JH"))

    for wrong in (line.replace("|9CTCJC", "", 1), line.replace("5H6H7H|9CTCJC", "5H6H7H9CTCJC", 1)):
        assert wrong != line
        with pytest.raises(NotationError):
            parse_position(wrong)


def test_positions_of_custom_rules_are_parsed_with_those_rules() -> None:
    rules = PROFILES["total-rummy-pool-101"].with_(name="our own rules", extra_seconds=86_400)
    deal = deal_of(3, rules=rules)
    line = format_position(deal)

    assert parse_position(line, rules=rules, stream=deal.stream) == deal
    for others in (None, PROFILES["total-rummy-pool-101"]):
        with pytest.raises(RummyError):
            parse_position(line, rules=others)


# How a deal of each family begins, and how it is played at random.
PLAYED: dict[str, Any] = {
    "thirteen": (deal_of, random_play),
    "straight": (straight.straight_deal, straight.random_play),
}


@pytest.mark.parametrize("family", PLAYED)
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 20), st.data())
def test_a_position_with_one_character_changed_is_playable_or_refused(
    family: str, seed: int, data: st.DataObject
) -> None:
    rules: Any = getattr(rummy, family)
    begin, play_on = PLAYED[family]
    deal = begin(seed, players=2 + seed % 4)
    for _, after in play_on(deal, random.Random(seed), most=4 * seed):
        deal = after
    line = misprinted(rules.format_position(deal), "0123456789ACDHJKPQST-:/|?!lmso ", data)

    try:
        other = rules.parse_position(line)
    except RummyError:
        return

    for at in range(1, other.players + 1):
        for legal in rules.legal_moves(other, at):
            assert parse_move(str(legal)) == legal
            rules.apply(other, legal)
    rules.outcome(other)
    rules.public_view(other)


@given(st.text("0123456789ACDHJKPQST-:/|?!s o", max_size=60))
def test_any_text_parses_as_a_position_or_raises(text: str) -> None:
    with pytest.raises(RummyError):
        parse_position(f"total-rummy-pool-101 {text}")


def lines(deal: Deal, depth: int) -> int:
    """How many sequences of legal moves of this length there are; shows end a line."""
    position = status(deal).to_act
    if depth == 0 or position is None:
        return 1
    count = 0
    for move in legal_moves(deal, position):
        if isinstance(move, Show):
            count += 1
        else:
            count += lines(apply(deal, move), depth - 1)
    return count


LINES = {
    ("total-rummy-points", 2): (3, 28, 78, 724),
    ("total-rummy-pool-61", 3): (3, 33, 113, 945),
    ("total-rummy-pool-101", 2): (3, 29, 79, 724),
    ("total-rummy-pool-201", 6): (3, 31, 107, 859),
    ("total-rummy-best-of-2", 2): (2, 28, 50, 720),
    ("total-rummy-best-of-3", 2): (2, 27, 52, 747),
    ("total-rummy-best-of-6", 4): (3, 31, 105, 772),
    ("rummycentral-points", 2): (3, 29, 80, 741),
    ("vengala-points", 4): (3, 31, 111, 932),
    ("vengala-pool-101", 2): (3, 31, 87, 799),
    ("vengala-pool-201", 5): (3, 29, 103, 825),
}


@pytest.mark.parametrize(("name", "players"), LINES)
def test_legal_lines_from_fixed_seeds(name: str, players: int) -> None:
    deal = deal_of(f"lines of {name}", rules=PROFILES[name], players=players)

    assert tuple(lines(deal, depth) for depth in range(1, 5)) == LINES[name, players]


def test_every_way_to_move_has_its_lines_counted() -> None:
    def way(name: str) -> tuple[bool, str]:
        rules = PROFILES[name]
        return rules.drops_allowed, rules.open_joker

    assert {way(name) for name, _ in LINES} == set(map(way, PROFILES))
