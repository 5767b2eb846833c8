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


def test_players_who_rejoin_after_one_deal_get_the_same_total() -> None:
    game = pool_of().scored({1: 10, 2: 80, 3: 0, 4: 80}).scored({1: 0, 2: 40, 3: 20, 4: 21})

    assert game.rejoined(2).rejoined(4).totals == game.rejoined(4).rejoined(2).totals
    assert game.rejoined(2).rejoined(4).totals == (10, 21, 20, 21)


def test_a_player_without_an_answer_before_the_next_deal_stays_out() -> None:
    game = pool_of().scored({1: 0, 2: 80, 3: 10, 4: 20}).scored({1: 0, 2: 40, 3: 10, 4: 10})

    later = game.scored({1: 0, 3: 10, 4: 10})

    assert later.survivors == (1, 3, 4)
    with refusal("not_asked"):
        later.rejoined(2)


def test_a_player_who_left_is_out_at_any_total_and_never_rejoins() -> None:
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


def test_without_survivors_the_lowest_total_before_takes_the_prize() -> None:
    game = pool_of(3).scored({1: 0, 2: 20, 3: 20})

    after = game.scored({1: 20, 2: 20, 3: 20}, left=[1, 2, 3])

    assert (after.ending, after.payouts) == ("nobody_left", {1: 270_00})


def test_cancelled_pool_pays_only_the_survivors() -> None:
    assert pool_of(3).cancelled().payouts == {1: 100_00, 2: 100_00, 3: 100_00}

    game = Pool.start(VENGALA, players=4, entry=100_00, bps=1000)
    game = game.scored({1: 0, 2: 80, 3: 80, 4: 10}).scored({1: 0, 2: 40, 3: 40, 4: 10})
    assert game.cancelled().payouts == {1: 190_00, 4: 190_00}


def test_a_rejoiner_between_two_leaders_leads_the_next_deal() -> None:
    game = pool_of().scored({1: 0, 2: 20, 3: 80, 4: 20}).scored({1: 20, 2: 20, 3: 80, 4: 0})

    assert (game.turn_order, game.leader) == ((4, 1, 2), 4)
    back = game.rejoined(3)
    assert (back.turn_order, back.leader) == ((3, 4, 1, 2), 3)
    assert game.declined(3).turn_order == (4, 1, 2)


def test_pool_waits_for_open_rejoins_after_a_survivor_leaves() -> None:
    game = pool_of(3).scored({1: 0, 2: 20, 3: 80}).scored({1: 20, 2: 0, 3: 21})
    asked = game.left(2)

    assert (asked.is_over, asked.survivors, asked.may_rejoin) == (False, (1,), (3,))
    back = asked.rejoined(3)
    assert (back.is_over, back.survivors, back.totals) == (False, (1, 3), (20, 20, 21))
    assert (back.turn_order, back.prize) == ((3, 1), 360_00)
    declined = asked.declined(3)
    assert (declined.ending, declined.payouts) == ("last_survivor", {1: 270_00})
    assert asked.rejoins_closed() == declined


def test_an_accepted_rejoin_is_kept_when_all_survivors_leave() -> None:
    game = pool_of().scored({1: 0, 2: 20, 3: 80, 4: 80}).scored({1: 20, 2: 0, 3: 21, 4: 21})

    left = game.left(1).rejoined(4).left(2)

    assert (left.is_over, left.may_rejoin) == (False, (3,))
    over = left.declined(3)
    assert (over.ending, over.payouts) == ("last_survivor", {4: 450_00})


def test_lowest_earlier_total_wins_if_all_leave_without_rejoins() -> None:
    game = pool_of(3).scored({1: 0, 2: 20, 3: 80}).scored({1: 20, 2: 0, 3: 21})

    over = game.left(1).left(2).declined(3)

    assert (over.ending, over.payouts) == ("nobody_left", {1: 270_00})


def test_a_player_asked_to_rejoin_who_leaves_has_declined() -> None:
    game = pool_of(3).scored({1: 0, 2: 20, 3: 80}).scored({1: 20, 2: 0, 3: 21})

    left = game.left(3)

    assert (left.survivors, left.may_rejoin, left.seats[2].has_left) == ((1, 2), (), True)
    with refusal("not_asked"):
        left.rejoined(3)
    with refusal("not_in_pool"):
        left.left(3)


def test_a_leaver_before_the_next_deal_is_not_dealt_in_though_rejoins_were_not_closed() -> None:
    game = pool_of().scored({1: 0, 2: 20, 3: 80, 4: 9}).scored({1: 20, 2: 0, 3: 21, 4: 9})

    later = game.left(4).scored({1: 5, 2: 0})

    assert (later.survivors, later.totals) == ((1, 2), (25, 20, 101, 18))
    with refusal("pool_over"):
        game.left(4).left(1).scored({2: 0})


def test_split_is_refused_while_rejoins_are_open() -> None:
    game = pool_of().scored({1: 0, 2: 80, 3: 80, 4: 9}).scored({1: 20, 2: 21, 3: 21, 4: 0})

    assert game.split_offer().why == "rejoin_open"
    with refusal("rejoin_open"):
        game.split()
    assert game.rejoins_closed().split().ending == "split"


def test_a_leaver_whose_rejoin_window_is_open_has_not_lost_the_entry_of_a_cancelled_game() -> None:
    game = pool_of().scored({1: 0, 2: 20, 3: 80, 4: 9}).scored({1: 20, 2: 0, 3: 21, 4: 9})

    # One entry of four is lost: its rake of 10.00 is kept.
    assert game.left(4).cancelled().payouts == {1: 195_00, 2: 195_00}
    assert game.left(4).rejoins_closed().cancelled().payouts == {1: 190_00, 2: 190_00}


def test_a_game_all_have_left_ends_by_its_rejoins_and_is_not_cancelled() -> None:
    game = pool_of(3).scored({1: 0, 2: 20, 3: 80}).scored({1: 20, 2: 0, 3: 21})

    left = game.left(1).left(2)

    with refusal("nobody_left"):
        left.cancelled()
    assert left.declined(3).ending == "nobody_left"


def test_a_leaver_who_was_not_dealt_in_is_refused() -> None:
    with refusal("not_in_pool"):
        pool_of(3).scored({1: 0, 2: 20, 3: 80}, left=[4])


def test_a_pool_is_a_value_that_sets_and_dicts_hold() -> None:
    games = [pool_of(2).scored({1: 0, 2: points}) for points in (20, 20, 80, 101)]

    assert len(set(games)) == 3


def test_a_player_without_rejoins_left_keeps_no_window_open() -> None:
    game = Pool.start(RULES.with_(name="once", max_rejoins=1), players=4, entry=100_00)
    game = game.scored({1: 0, 2: 80, 3: 5, 4: 9}).scored({1: 0, 2: 21, 3: 5, 4: 9}).rejoined(2)
    game = game.scored({1: 0, 2: 80, 3: 5, 4: 9}).scored({1: 0, 2: 80, 3: 5, 4: 9})

    assert (game.survivors, game.may_rejoin) == ((1, 3, 4), ())
    assert game.rejoin_offer(2).why == "rejoined_too_often"
    assert game.split_offer().shares is not None


def test_a_rejoin_that_leaves_everybody_at_the_total_of_the_automatic_split_splits() -> None:
    rules = RULES.with_(name="early", auto_split_from=50)
    game = Pool.start(rules, players=4, entry=100_00)
    game = game.scored({1: 0, 2: 60, 3: 80, 4: 80}).scored({1: 40, 2: 0, 3: 80, 4: 80})

    after = game.left(1).declined(4).rejoined(3)

    assert (after.ending, after.totals[2]) == ("auto_split", 61)
    assert sum((after.payouts or {}).values()) == after.prize == 500_00


@pytest.mark.parametrize("points", [{1: 0}, {1: 0, 2: -1, 3: 0, 4: 0}, {1: 0, 2: 0, 3: 0, 5: 0}])
def test_points_that_are_not_the_survivors_are_refused(points: dict[int, int]) -> None:
    with refusal("bad_points"):
        pool_of().scored(points)


def test_rules_of_another_game_make_no_pool() -> None:
    with refusal("no_pool"):
        Pool.start(PROFILES["total-rummy-points"], players=2, entry=1)


def random_step(game: Pool, rng: random.Random, *, splits: bool) -> Pool:
    """Return the pool after one thing that can happen to it, a scored deal most often."""
    asked, roll = game.may_rejoin, rng.random()
    if asked and game.entries < 3 * len(game.seats) and roll < 0.4:
        return game.rejoined(rng.choice(asked))
    if asked and roll < 0.6:
        return game.declined(rng.choice(asked))
    if roll < 0.7 and (game.survivors or asked):
        return game.left(rng.choice([*game.survivors, *asked]))
    game = game.rejoins_closed()
    if game.is_over:
        return game
    if splits and game.split_offer().eligible:
        return game.split()
    points = {seat: rng.randint(2, game.rules.cap) for seat in game.survivors}
    left = [seat for seat in game.survivors if rng.random() < 0.03]
    return game.scored(points | {rng.choice(game.survivors): 0}, left=left)


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([61, 101, 201]), st.booleans())
def test_a_pool_keeps_its_promises_whatever_is_played(
    seed: int, players: int, limit: int, splits: bool
) -> None:
    """Compare the lead with a walk around the table from the seat that led before (RB 5.1)."""
    rng = random.Random(seed)
    rules = PROFILES[f"total-rummy-pool-{limit}"]
    game, led = Pool.start(rules, players=players, entry=33_33, bps=1200), 0
    for _ in range(300):
        around = [(led + step) % players + 1 for step in range(players)]
        expected = tuple(seat for seat in around if seat in game.survivors)
        assert game.turn_order == expected
        assert game.leader == (expected[0] if expected else None)
        assert (game.offered is not None) == bool(game.may_rejoin)
        if game.is_over:
            break
        assert game.may_rejoin or len(game.survivors) > 1
        before, game = game.rejoins_closed(), random_step(game, rng, splits=splits)
        if game.deals > before.deals:
            led = before.turn_order[0]
    assert not game.may_rejoin
    assert game.ending in {"split", "auto_split"} or len(game.survivors) <= 1
    assert game.payouts is not None
    assert sum(game.payouts.values()) == game.prize
    assert min(game.payouts.values()) >= 0
