"""RB 4.6-4.8, 5.8: points of losers, absent players and players without a turn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy import PROFILES
from rummy.thirteen import Deal, format_position, outcome, parse_position
from rummy.thirteen.endings import loss
from tests.builders.cards.dealing import POOL, make_deal, play
from tests.builders.cards.hands import LAID, LOSER, POOR, WINNER

MELDED = "2H 3H 4H 8S 9S TS QD QS QC 4D 5D 6D 7D"


def points_of(deal: Deal) -> list[tuple[int, str]]:
    ended = outcome(deal)
    assert ended is not None
    return [(result.points, result.how) for result in ended.results]


def shown_at_once(second: str, third: str = POOR, **overrides: Any) -> Deal:
    """Position 1 shows in its first turn, before the others have had one."""
    hands = (WINNER, second, third)
    deal = make_deal(*hands, up="9D", next_cards="JH", rules=POOL.with_(**overrides))
    return play(deal, "p1 ds", f"p1 show {LAID} x JH", "p2 leave", "p3 leave")


def test_a_loser_pays_at_least_the_least_loss_and_the_winner_nothing() -> None:

    assert points_of(shown_at_once(MELDED)) == [(0, "won"), (0, "lost"), (80, "lost")]
    least = shown_at_once(MELDED, least_loss=2)
    assert points_of(least) == [(0, "won"), (2, "lost"), (80, "lost")]


def test_a_loser_without_a_turn_before_the_show_pays_half_rounded_down() -> None:
    halved = shown_at_once(LOSER, half_without_turn=True)
    assert points_of(halved) == [(0, "won"), (13, "lost"), (40, "lost")]

    assert points_of(shown_at_once(LOSER)) == [(0, "won"), (27, "lost"), (80, "lost")]


def test_a_turn_that_was_missed_was_a_turn() -> None:
    rules = POOL.with_(half_without_turn=True)
    deal = make_deal(LOSER, WINNER, POOR, up="9D", next_cards="JH", rules=rules)

    shown = play(deal, "p1 miss", "p2 ds", f"p2 show {LAID} x JH", "p1 leave", "p3 leave")

    assert points_of(shown) == [(27, "lost"), (0, "won"), (40, "lost")]


@pytest.mark.parametrize(("hand", "points"), [(LOSER, 27), (POOR, 40)])
def test_an_absent_player_pays_the_lower_of_the_middle_drop_and_the_hand(
    hand: str, points: int
) -> None:
    rules = POOL.with_(absent_pays_lower=True, misses_allowed=1)
    other = WINNER if hand == POOR else POOR
    deal = make_deal(hand, other, rules=rules)

    assert points_of(play(deal, "p1 miss")) == [(points, "middle_drop"), (0, "won")]
    usual = make_deal(hand, other, rules=rules.with_(absent_pays_lower=False))
    assert points_of(play(usual, "p1 miss"))[0] == (40, "middle_drop")


def test_absent_player_pays_the_lower_price_after_anothers_show() -> None:
    rules = POOL.with_(absent_pays_lower=True)
    deal = make_deal(POOR, WINNER, up="9D", next_cards="JH", rules=rules)

    shown = play(deal, "p1 miss", "p2 ds", f"p2 show {LAID} x JH", "p1 miss")

    assert points_of(shown) == [(40, "lost"), (0, "won")]


def test_misses_may_depend_on_the_size_of_the_deal() -> None:
    rules = POOL.with_(misses_allowed=1, misses_allowed_for_two=2)
    two, three = make_deal(POOR, LOSER, rules=rules), make_deal(POOR, LOSER, WINNER, rules=rules)

    once = play(two, "p1 miss")
    assert once.seat(1).is_active
    line = format_position(once)
    assert parse_position(line, rules=rules, stream=once.stream) == once
    assert not play(once, "p2 ds", "p2 x @", "p1 miss").seat(1).is_active
    assert not play(three, "p1 miss").seat(1).is_active


@given(st.sampled_from(sorted(PROFILES)), st.integers(0, 80), st.booleans(), st.booleans())
def test_by_default_a_hand_costs_what_it_counts(
    name: str, points: int, has_had_turn: bool, is_absent: bool
) -> None:
    rules = PROFILES[name]

    assert loss(rules, points, has_had_turn=has_had_turn, is_absent=is_absent) == points
    assert {rules.misses_allowed_for(players) for players in range(2, 7)} == {rules.misses_allowed}
