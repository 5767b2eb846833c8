"""RB 7: whole pools as values, from the entries to the payout."""

from __future__ import annotations

import random
from collections.abc import Callable

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


def asked(players: int = 3, *more: int) -> Pool:
    """Two deals after which the third is out and asked, and with them those of `more`."""
    game = pool_of(players)
    first = {1: 0, 2: 20, 3: 80, 4: 9} | dict.fromkeys(more, 80)
    second = {1: 20, 2: 0, 3: 21, 4: 9} | dict.fromkeys(more, 21)
    seats = range(1, players + 1)
    for points in (first, second):
        game = game.scored({seat: points[seat] for seat in seats})
    return game


def of_vengala(*deals: dict[int, int], bps: int = 0) -> Pool:
    game = Pool.start(VENGALA, players=len(deals[0]), entry=100_00, bps=bps)
    for points in deals:
        game = game.scored(points)
    return game


def split_unasked() -> Pool:
    game = pool_of().scored({1: 80, 2: 80, 3: 80, 4: 0})
    return game.scored({1: 5, 2: 10, 3: 21, 4: 80}).scored({1: 0, 2: 0, 4: 1})


def split_by_a_rejoin() -> Pool:
    game = Pool.start(RULES.with_(name="early", auto_split_from=50), players=4, entry=90_00)
    game = game.scored({1: 0, 2: 60, 3: 80, 4: 80}).scored({1: 40, 2: 0, 3: 80, 4: 80})
    return game.left(1).declined(4).rejoined(3)


@pytest.mark.parametrize(
    ("game", "ending", "payouts"),
    [
        (
            of_vengala({1: 0, 2: 80, 3: 80}, {1: 30, 2: 0, 3: 21}, {1: 0, 2: 21}),
            "last_survivor",
            {1: 300_00},
        ),
        (asked().left(2).declined(3), "last_survivor", {1: 270_00}),
        (asked().left(2).rejoins_closed(), "last_survivor", {1: 270_00}),
        # A rejoin that was accepted is kept when all survivors leave.
        (asked(4, 4).left(1).rejoined(4).left(2).declined(3), "last_survivor", {4: 450_00}),
        # Nobody is left: the lowest total before the last deal takes the prize.
        (asked().left(1).left(2).declined(3), "nobody_left", {1: 270_00}),
        (
            pool_of(3).scored({1: 0, 2: 20, 3: 20}).scored({1: 20, 2: 20, 3: 20}, left=[1, 2, 3]),
            "nobody_left",
            {1: 270_00},
        ),
        (split_unasked(), "auto_split", {1: 120_00, 2: 120_00, 4: 120_00}),
        (split_by_a_rejoin(), "auto_split", {2: 270_00, 3: 180_00}),
        (pool_of(3).cancelled(), "cancelled", {1: 100_00, 2: 100_00, 3: 100_00}),
        (
            of_vengala(
                {1: 0, 2: 80, 3: 80, 4: 10}, {1: 0, 2: 40, 3: 40, 4: 10}, bps=1000
            ).cancelled(),
            "cancelled",
            {1: 190_00, 4: 190_00},
        ),
        # While rejoins are open a leaver has not lost the entry; the rake of a lost one is kept.
        (asked(4).left(4).cancelled(), "cancelled", {1: 195_00, 2: 195_00}),
        (asked(4).left(4).rejoins_closed().cancelled(), "cancelled", {1: 190_00, 2: 190_00}),
    ],
)
def test_a_pool_ends_and_pays(game: Pool, ending: str, payouts: dict[int, int]) -> None:
    assert (game.ending, game.payouts) == (ending, payouts)
    with refusal("pool_over"):
        game.scored({1: 0})


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (lambda: pool_of().split(), "wrong_number_of_players"),
        (lambda: of_vengala({1: 0, 2: 1, 3: 2}).split(), "no_split"),
        (lambda: asked().left(1).left(2).cancelled(), "nobody_left"),
        (lambda: pool_of(3).scored({1: 0, 2: 20, 3: 80}, left=[4]), "not_in_pool"),
        (lambda: pool_of().scored({1: 0}), "bad_points"),
        (lambda: pool_of().scored({1: 0, 2: -1, 3: 0, 4: 0}), "bad_points"),
        (lambda: pool_of().scored({1: 0, 2: 0, 3: 0, 5: 0}), "bad_points"),
        (lambda: Pool.start(PROFILES["total-rummy-points"], players=2, entry=1), "no_pool"),
    ],
)
def test_steps_that_cannot_be_are_refused(refused: Callable[[], Pool], code: str) -> None:
    with refusal(code):
        refused()


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


def test_a_rejoiner_between_two_leaders_leads_the_next_deal() -> None:
    game = pool_of().scored({1: 0, 2: 20, 3: 80, 4: 20}).scored({1: 20, 2: 20, 3: 80, 4: 0})

    assert (game.turn_order, game.leader) == ((4, 1, 2), 4)
    back = game.rejoined(3)
    assert (back.turn_order, back.leader) == ((3, 4, 1, 2), 3)
    assert game.declined(3).turn_order == (4, 1, 2)


def test_pool_waits_for_open_rejoins_after_a_survivor_leaves() -> None:
    game = asked().left(2)

    assert (game.is_over, game.survivors, game.may_rejoin) == (False, (1,), (3,))
    back = game.rejoined(3)
    assert (back.is_over, back.survivors, back.totals) == (False, (1, 3), (20, 20, 21))
    assert (back.turn_order, back.prize) == ((3, 1), 360_00)


def test_a_player_asked_to_rejoin_who_leaves_has_declined() -> None:
    left = asked().left(3)

    assert (left.survivors, left.may_rejoin, left.seats[2].has_left) == ((1, 2), (), True)
    with refusal("not_asked"):
        left.rejoined(3)
    with refusal("not_in_pool"):
        left.left(3)


def test_a_leaver_before_the_next_deal_is_not_dealt_in_though_rejoins_were_not_closed() -> None:
    game = asked(4)

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


def test_a_player_without_rejoins_left_keeps_no_window_open() -> None:
    game = Pool.start(RULES.with_(name="once", max_rejoins=1), players=4, entry=100_00)
    game = game.scored({1: 0, 2: 80, 3: 5, 4: 9}).scored({1: 0, 2: 21, 3: 5, 4: 9}).rejoined(2)
    game = game.scored({1: 0, 2: 80, 3: 5, 4: 9}).scored({1: 0, 2: 80, 3: 5, 4: 9})

    assert (game.survivors, game.may_rejoin) == ((1, 3, 4), ())
    assert game.rejoin_offer(2).why == "rejoined_too_often"
    with refusal("rejoined_too_often"):
        game.rejoined(2)
    assert game.split_offer().shares is not None


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
