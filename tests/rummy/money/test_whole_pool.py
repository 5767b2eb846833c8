"""RB 7: whole pools as values, from the entries to the payout."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy import PROFILES, Pool, RulesError

RULES = PROFILES["total-rummy-pool-101"]
VENGALA = PROFILES["vengala-pool-101"]


def pool_of(players: int = 4, entry: int = 100_00, bps: int = 1000) -> Pool:
    return Pool.start(RULES, players=players, entry=entry, bps=bps)


def refusal(code: str) -> pytest.RaisesExc[RulesError]:
    return pytest.raises(RulesError, check=lambda error: error.code == code)


def test_the_last_survivor_takes_the_prize() -> None:
    game = Pool.start(VENGALA, players=3, entry=100_00)

    game = game.scored({1: 0, 2: 80, 3: 80}).scored({1: 30, 2: 0, 3: 21})
    assert (game.survivors, game.is_over) == ((1, 2), False)
    game = game.scored({1: 0, 2: 21})

    assert (game.ending, game.payouts) == ("last_survivor", {1: 300_00})
    with refusal("pool_over"):
        game.scored({1: 0})


def test_a_rejoin_pays_another_entry_and_starts_above_the_highest_survivor() -> None:
    game = pool_of().scored({1: 0, 2: 80, 3: 50, 4: 20}).scored({1: 20, 2: 40, 3: 0, 4: 40})

    assert game.rejoin_offer(2).score == 61
    assert game.rejoin_offer(1).why == "not_asked"
    back = game.rejoined(2)

    assert (back.totals, back.entries, back.prize) == ((20, 61, 50, 60), 5, 450_00)
    assert back.survivors == (1, 2, 3, 4)
    with refusal("not_asked"):
        back.rejoined(2)


def test_all_who_rejoin_after_one_deal_get_the_same_total() -> None:
    game = pool_of().scored({1: 10, 2: 80, 3: 0, 4: 80}).scored({1: 0, 2: 40, 3: 20, 4: 21})

    assert game.rejoined(2).rejoined(4).totals == game.rejoined(4).rejoined(2).totals
    assert game.rejoined(2).rejoined(4).totals == (10, 21, 20, 21)


def test_who_does_not_answer_before_the_next_deal_stays_out() -> None:
    game = pool_of().scored({1: 0, 2: 80, 3: 10, 4: 20}).scored({1: 0, 2: 40, 3: 10, 4: 10})

    later = game.scored({1: 0, 3: 10, 4: 10})

    assert later.survivors == (1, 3, 4)
    with refusal("not_asked"):
        later.rejoined(2)


def test_who_left_is_out_at_any_total_and_never_rejoins() -> None:
    game = pool_of().scored({1: 0, 2: 20, 3: 10, 4: 40}, left=[2])

    assert game.survivors == (1, 3, 4)
    with refusal("not_asked"):
        game.rejoined(2)
    assert game.prize == 360_00


def test_survivors_without_a_drop_split_unasked() -> None:
    game = pool_of().scored({1: 80, 2: 80, 3: 80, 4: 0})
    game = game.scored({1: 5, 2: 10, 3: 21, 4: 80}).scored({1: 0, 2: 0, 4: 1})

    assert (game.ending, game.payouts) == ("auto_split", {1: 120_00, 2: 120_00, 4: 120_00})


def test_a_split_the_rules_do_not_allow_is_refused() -> None:
    with refusal("wrong_number_of_players"):
        pool_of().split()
    with refusal("no_split"):
        Pool.start(VENGALA, players=3, entry=100_00).split()


def test_where_nobody_is_left_the_lowest_total_before_takes_the_prize() -> None:
    game = pool_of(3).scored({1: 0, 2: 20, 3: 20})

    after = game.scored({1: 20, 2: 20, 3: 20}, left=[1, 2, 3])

    assert (after.ending, after.payouts) == ("nobody_left", {1: 270_00})


def test_a_pool_called_off_gives_back_what_is_not_lost() -> None:
    assert pool_of(3).cancelled().payouts == {1: 100_00, 2: 100_00, 3: 100_00}

    game = Pool.start(VENGALA, players=4, entry=100_00, bps=1000)
    game = game.scored({1: 0, 2: 80, 3: 80, 4: 10}).scored({1: 0, 2: 40, 3: 40, 4: 10})
    assert game.cancelled().payouts == {1: 190_00, 4: 190_00}


def test_the_lead_moves_to_the_next_survivor() -> None:
    game = pool_of()
    leads = []
    for points in ({1: 0, 2: 80, 3: 5, 4: 5}, {1: 0, 2: 80, 3: 5, 4: 5}, {1: 0, 3: 5, 4: 5}):
        leads.append(game.turn_order)
        game = game.scored(points)

    assert leads == [(1, 2, 3, 4), (2, 3, 4, 1), (3, 4, 1)]
    assert game.turn_order == (4, 1, 3)
    assert game.left(4).turn_order == (1, 3)


@pytest.mark.parametrize("points", [{1: 0}, {1: 0, 2: -1, 3: 0, 4: 0}, {1: 0, 2: 0, 3: 0, 5: 0}])
def test_points_that_are_not_the_survivors_are_refused(points: dict[int, int]) -> None:
    with refusal("bad_points"):
        pool_of().scored(points)


def test_rules_of_another_game_make_no_pool() -> None:
    with refusal("no_pool"):
        Pool.start(PROFILES["total-rummy-points"], players=2, entry=1)


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([61, 101, 201]), st.booleans())
def test_whatever_is_played_the_payouts_are_the_prize(
    seed: int, players: int, limit: int, splits: bool
) -> None:
    rng = random.Random(seed)
    rules = PROFILES[f"total-rummy-pool-{limit}"]
    game = Pool.start(rules, players=players, entry=33_33, bps=1200)
    for _ in range(200):
        if game.is_over:
            break
        winner = rng.choice(game.survivors)
        points = {seat: rng.randint(2, rules.cap) for seat in game.survivors}
        game = game.scored(points | {winner: 0})
        for seat in game.may_rejoin:
            if game.entries < 3 * players and rng.random() < 0.5:
                game = game.rejoined(seat)
        if splits and not game.is_over and game.split_offer().eligible:
            game = game.split()
        elif not game.is_over and rng.random() < 0.05:
            game = game.left(rng.choice(game.survivors))
    assert game.payouts is not None
    assert sum(game.payouts.values()) == game.prize
    assert min(game.payouts.values()) >= 0
