"""RB 7: pools between deals, with every worked example of the rulebook."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy import PROFILES, MoneyError, Rules, RulesError
from rummy.money.pool import (
    auto_split_from,
    cancelled_shares,
    drops_left,
    is_out,
    prize,
    rejoin_ceiling,
    rejoin_offer,
    split_offer,
    split_shares,
    successors,
)

POOLS = {limit: PROFILES[f"total-rummy-pool-{limit}"] for limit in (61, 101, 201)}
POOL = POOLS[101]


@pytest.mark.parametrize(
    ("limit", "total", "drops"),
    [
        *((101, *row) for row in ((0, 5), (1, 4), (20, 4), (21, 3), (80, 1), (81, 0), (100, 0))),
        *((61, *row) for row in ((0, 4), (1, 3), (15, 3), (45, 1), (46, 0))),
        *((201, *row) for row in ((0, 8), (1, 7), (175, 1), (176, 0))),
    ],
)
def test_drops_left(limit: int, total: int, drops: int) -> None:
    assert drops_left(total, POOLS[limit]) == drops


@pytest.mark.parametrize("limit", POOLS)
def test_a_total_at_the_limit_is_eliminated(limit: int) -> None:
    assert not is_out(limit - 1, POOLS[limit])
    assert is_out(limit, POOLS[limit])


@pytest.mark.parametrize(("limit", "ceiling"), [(61, 44), (101, 79), (201, 174)])
def test_rejoin_is_allowed_up_to_the_ceiling(limit: int, ceiling: int) -> None:
    assert rejoin_ceiling(POOLS[limit]) == ceiling
    assert rejoin_offer(POOLS[limit], [0, ceiling], started=3).score == ceiling + 1
    offer = rejoin_offer(POOLS[limit], [0, ceiling + 1], started=3)
    assert (offer.allowed, offer.score, offer.why) == (False, None, "survivor_too_high")


def test_rejoin_score_is_one_if_all_survivors_have_zero() -> None:
    assert rejoin_offer(POOL, [0, 0], started=3).score == 1


@pytest.mark.parametrize(
    ("survivors", "started", "why"),
    [([0], 3, "too_few_survivors"), ([0, 5], 2, "too_few_started"), ([], 6, "too_few_survivors")],
)
def test_rejoin_is_refused_with_too_few_players(
    survivors: list[int], started: int, why: str
) -> None:
    assert rejoin_offer(POOL, survivors, started=started).why == why


def test_rules_can_forbid_or_limit_rejoins() -> None:
    assert rejoin_offer(PROFILES["vengala-pool-101"], [0, 0], started=3).why == "no_rejoin"
    capped = POOL.with_(max_rejoins=1)
    assert rejoin_offer(capped, [0, 0], started=3, rejoined=1).why == "rejoined_too_often"
    assert rejoin_offer(capped, [0, 0], started=3, rejoined=0).allowed


pools = st.builds(
    lambda limit, first, cap: (limit, first, cap),
    st.integers(2, 500),
    st.integers(1, 120),
    st.integers(1, 120),
)


@given(pools, st.lists(st.integers(0, 500), min_size=2, max_size=5))
def test_a_rejoiner_always_has_a_drop(numbers: tuple[int, int, int], survivors: list[int]) -> None:
    limit, first, cap = numbers
    try:
        rules = POOL.with_(limit=limit, first_drop=first, middle_drop=first, cap=cap)
    except RulesError:
        return
    survivors = [score % limit for score in survivors]

    offer = rejoin_offer(rules, survivors, started=6)

    if offer.score is not None:
        assert not is_out(offer.score, rules)
        assert drops_left(offer.score, rules) >= 1
    else:  # A rejoiner at one more than the highest score would have no drop.
        assert drops_left(max(survivors) + 1, rules) == 0


@pytest.mark.parametrize(
    ("survivors", "started", "code"),
    [([101, 5], 3, "bad_score"), ([-1, 5], 3, "bad_score"), ([1, 5], 7, "bad_players")],
)
def test_a_rejoin_offer_for_impossible_scores_or_players_is_refused(
    survivors: list[int], started: int, code: str
) -> None:
    with pytest.raises(RulesError) as refusal:
        rejoin_offer(POOL, survivors, started=started)

    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("scores", "started", "shares", "auto"),
    [
        ([20, 55, 92], 5, (39000, 21000, 3000), False),
        ([40, 81], 3, (45000, 18000), False),
        ([12, 60, 60], 6, (33000, 15000, 15000), False),
        ([0, 1], 6, (36000, 27000), False),
        ([85, 90, 99], 6, (21000, 21000, 21000), True),
    ],
)
def test_split_examples_with_seven_entries(
    scores: list[int], started: int, shares: tuple[int, ...], auto: bool
) -> None:
    offer = split_offer(POOL, scores, started=started, entries=7, entry=10000, bps=1000)

    assert (offer.eligible, offer.auto, offer.shares) == (True, auto, shares)


def test_split_examples_with_other_entries() -> None:
    assert split_shares(15000, [30, 60, 95], [3, 1, 0], net=2500) == (9167, 4167, 1666)
    six = split_offer(POOL, [60, 80, 95], started=6, entries=6, entry=100000, bps=1200)
    assert six.shares == (264000, 176000, 88000)
    seven = split_offer(POOL, [90, 91, 92], started=6, entries=7, entry=25000, bps=1200)
    assert (seven.auto, seven.shares) == (True, (51334, 51333, 51333))
    far = split_offer(POOL, [0, 100], started=4, entries=4, entry=10000, bps=1000)
    assert (far.eligible, far.why) == (False, "rest_too_small")
    near = split_offer(POOL, [30, 100], started=4, entries=4, entry=10000, bps=1000)
    assert near.shares == (31500, 4500)


def test_odd_paise_go_to_the_lowest_score_then_the_earlier_seat() -> None:
    assert split_shares(100, [95, 82, 90], [0, 0, 0], net=1) == (33, 34, 33)
    assert split_shares(101, [90, 90, 82], [0, 0, 0], net=1) == (34, 33, 34)


@pytest.mark.parametrize(
    ("scores", "started", "eligible"),
    [
        ([1, 2], 2, False),
        ([1, 2], 3, True),
        ([1, 2, 3], 3, False),
        ([1, 2, 3], 4, True),
        ([1, 2, 3, 4], 6, False),
        ([1], 6, False),
    ],
)
def test_split_is_eligible_by_number_of_survivors(
    scores: list[int], started: int, eligible: bool
) -> None:
    offer = split_offer(POOL, scores, started=started, entries=6, entry=10000, bps=1000)

    assert offer.eligible == eligible


def test_rules_without_splits_never_split() -> None:
    offer = split_offer(
        PROFILES["vengala-pool-101"], [95, 96], started=5, entries=5, entry=100, bps=0
    )

    assert (offer.eligible, offer.why) == (False, "no_split")


@given(
    st.sampled_from(list(POOLS.values())),
    st.lists(st.integers(0, 60), min_size=2, max_size=3),
    st.integers(3, 6),
    st.integers(0, 9),
    st.integers(0, 10**7),
    st.integers(0, 10_000),
)
def test_split_shares_sum_to_the_prize_and_none_is_negative(  # noqa: PLR0917
    rules: Rules, scores: list[int], started: int, rejoins: int, entry: int, bps: int
) -> None:
    offer = split_offer(
        rules, scores, started=started, entries=started + rejoins, entry=entry, bps=bps
    )

    if offer.shares is not None:
        assert sum(offer.shares) == prize(started + rejoins, entry, bps)
        assert min(offer.shares) >= 0
        by_score = [share for _, share in sorted(zip(scores, offer.shares, strict=True))]
        assert all(a >= b - 1 for a, b in pairwise(by_score))


def test_cancelled_pool_returns_all_but_the_rake_of_lost_entries() -> None:
    shares = cancelled_shares(4, entries=6, lost=2, entry=10000, bps=1000)

    assert shares == (14500,) * 4
    assert sum(shares) == 58000
    assert cancelled_shares(3, entries=4, lost=1, entry=2500, bps=1000) == (3250, 3250, 3250)
    with pytest.raises(MoneyError):
        cancelled_shares(3, entries=2, lost=3, entry=100, bps=0)


def test_pool_without_survivors_goes_to_the_lowest_earlier_total() -> None:
    assert successors([40, 12, 60]) == (1,)
    assert successors([12, 40, 12]) == (0, 2)


def test_impossible_scores_and_profiles_without_a_pool_raise() -> None:
    with pytest.raises(RulesError):
        split_offer(POOL, [101, 5], started=6, entries=6, entry=100, bps=0)
    with pytest.raises(RulesError):
        split_offer(POOL, [1, 5], started=7, entries=7, entry=100, bps=0)
    with pytest.raises(RulesError):
        drops_left(5, PROFILES["total-rummy-points"])
    with pytest.raises(MoneyError):
        successors([])
    with pytest.raises(MoneyError):
        split_shares(100, [], [], net=1)


@pytest.mark.parametrize("limit", [61, 101, 201])
def test_default_automatic_split_requires_that_nobody_has_a_drop_left(
    limit: int,
) -> None:
    rules = POOLS[limit]
    for score in range(limit):
        is_without_drop = drops_left(score, rules) == 0
        offer = split_offer(rules, [score, limit - 1], started=4, entries=4, entry=100, bps=0)

        assert offer.auto == is_without_drop
        assert is_without_drop == (score >= auto_split_from(rules))


def test_automatic_split_at_a_lower_total_still_pays_for_drops() -> None:
    rules = POOL.with_(auto_split_from=80)

    split = split_offer(rules, [80, 81, 99], started=6, entries=6, entry=100_00, bps=1000)
    assert (split.auto, split.shares) == (True, (240_00, 150_00, 150_00))
    not_yet = split_offer(rules, [79, 81, 99], started=6, entries=6, entry=100_00, bps=1000)
    assert (not_yet.eligible, not_yet.auto) == (True, False)
    early = POOL.with_(auto_split_from=1, rejoin=False)
    poor = split_offer(early, [1, 100], started=3, entries=3, entry=100_00, bps=1000)
    assert (poor.eligible, poor.auto, poor.why) == (False, False, "rest_too_small")


def test_no_rejoin_above_rejoin_at_most_or_before_an_automatic_split() -> None:
    gated = POOL.with_(rejoin_at_most=50)
    assert rejoin_offer(gated, [0, 50], started=3).score == 51
    assert rejoin_offer(gated, [0, 51], started=3).why == "survivor_too_high"
    assert rejoin_ceiling(POOL.with_(rejoin_at_most=100)) == rejoin_ceiling(POOL)

    splits = POOL.with_(auto_split_from=40)
    assert rejoin_offer(splits, [40, 60], started=4).why == "splits_by_itself"
    assert rejoin_offer(splits, [39, 60], started=4).score == 61
