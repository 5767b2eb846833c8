"""RB 7: pools between deals, with every worked example of the rulebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummy import PROFILES, MoneyError, Rules, RulesError
from rummy.money.pool import (
    SplitOffer,
    auto_split_from,
    cancelled_shares,
    drops_left,
    is_out,
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


VENGALA = PROFILES["vengala-pool-101"]
ONCE, GATED, EARLY = (
    POOL.with_(**{field: value})
    for field, value in (("max_rejoins", 1), ("rejoin_at_most", 50), ("auto_split_from", 40))
)


@pytest.mark.parametrize(
    ("rules", "survivors", "more", "score", "why"),
    [
        (POOLS[61], [0, 44], {}, 45, None),
        (POOLS[61], [0, 45], {}, None, "survivor_too_high"),
        (POOL, [0, 79], {}, 80, None),
        (POOL, [0, 80], {}, None, "survivor_too_high"),
        (POOLS[201], [0, 174], {}, 175, None),
        (POOLS[201], [0, 175], {}, None, "survivor_too_high"),
        (POOL, [0, 0], {}, 1, None),
        (POOL, [0], {}, None, "too_few_survivors"),
        (POOL, [0, 5], {"started": 2}, None, "too_few_started"),
        (POOL, [], {"started": 6}, None, "too_few_survivors"),
        (VENGALA, [0, 0], {}, None, "no_rejoin"),
        (ONCE, [0, 0], {"rejoined": 0}, 1, None),
        (ONCE, [0, 0], {"rejoined": 1}, None, "rejoined_too_often"),
        (GATED, [0, 50], {}, 51, None),
        (GATED, [0, 51], {}, None, "survivor_too_high"),
        (EARLY, [39, 60], {"started": 4}, 61, None),
        (EARLY, [40, 60], {"started": 4}, None, "splits_by_itself"),
    ],
)
def test_rejoin_is_offered_above_the_highest_survivor_where_the_rules_allow_it(
    rules: Rules, survivors: list[int], more: dict[str, int], score: int | None, why: str | None
) -> None:
    offer = rejoin_offer(rules, survivors, **{"started": 3} | more)

    assert (offer.score, offer.why, offer.allowed) == (score, why, score is not None)


def test_the_ceiling_of_rejoins_is_never_above_that_of_the_limit() -> None:
    assert rejoin_ceiling(POOL.with_(rejoin_at_most=100)) == rejoin_ceiling(POOL) == 79


@pytest.mark.parametrize(
    ("refused", "code"),
    [
        (lambda: rejoin_offer(POOL, [101, 5], started=3), "bad_score"),
        (lambda: rejoin_offer(POOL, [-1, 5], started=3), "bad_score"),
        (lambda: rejoin_offer(POOL, [1, 5], started=7), "bad_players"),
        (lambda: offer_of([101, 5], 6, 6), "bad_score"),
        (lambda: offer_of([1, 5], 7, 7), "bad_players"),
        (lambda: drops_left(5, PROFILES["total-rummy-points"]), "no_pool"),
        (lambda: successors([]), None),
        (lambda: split_shares(100, [], [], net=1), None),
    ],
)
def test_impossible_scores_players_and_rules_are_refused(
    refused: Callable[[], object], code: str | None
) -> None:
    with pytest.raises((RulesError, MoneyError)) as refusal:
        refused()

    assert code in (None, refusal.value.code)


def offer_of(
    scores: list[int], started: int, entries: int, *, rules: Rules = POOL, **money: int
) -> SplitOffer:
    money = {"entry": 100_00, "bps": 1000} | money
    return split_offer(rules, scores, started=started, entries=entries, **money)


FROM_80, FROM_1 = POOL.with_(auto_split_from=80), POOL.with_(auto_split_from=1, rejoin=False)
RICH, FAIR = {"entry": 1000_00, "bps": 1200}, {"entry": 250_00, "bps": 1200}


@pytest.mark.parametrize(
    ("scores", "players", "more", "shares", "auto"),
    [
        ([20, 55, 92], (5, 7), {}, (390_00, 210_00, 30_00), False),
        ([40, 81], (3, 7), {}, (450_00, 180_00), False),
        ([12, 60, 60], (6, 7), {}, (330_00, 150_00, 150_00), False),
        ([0, 1], (6, 7), {}, (360_00, 270_00), False),
        ([85, 90, 99], (6, 7), {}, (210_00, 210_00, 210_00), True),
        ([60, 80, 95], (6, 6), RICH, (2640_00, 1760_00, 880_00), False),
        ([90, 91, 92], (6, 7), FAIR, (513_34, 513_33, 513_33), True),
        ([30, 100], (4, 4), {}, (315_00, 45_00), False),
        ([80, 81, 99], (6, 6), {"rules": FROM_80}, (240_00, 150_00, 150_00), True),
    ],
)
def test_a_split_pays_drops_and_shares_the_rest(
    scores: list[int],
    players: tuple[int, int],
    more: dict[str, Any],
    shares: tuple[int, ...],
    auto: bool,
) -> None:
    offer = offer_of(scores, *players, **more)

    assert (offer.eligible, offer.auto, offer.shares) == (True, auto, shares)


@pytest.mark.parametrize(
    ("scores", "players", "rules", "eligible", "why"),
    [
        ([1, 2], (2, 6), POOL, False, "wrong_number_of_players"),
        ([1, 2], (3, 6), POOL, True, None),
        ([1, 2, 3], (3, 6), POOL, False, "wrong_number_of_players"),
        ([1, 2, 3], (4, 6), POOL, True, None),
        ([1, 2, 3, 4], (6, 6), POOL, False, "wrong_number_of_players"),
        ([1], (6, 6), POOL, False, "wrong_number_of_players"),
        ([0, 100], (4, 4), POOL, False, "rest_too_small"),
        ([1, 100], (3, 3), FROM_1, False, "rest_too_small"),
        ([79, 81, 99], (6, 6), FROM_80, True, None),
        ([95, 96], (5, 5), VENGALA, False, "no_split"),
    ],
)
def test_a_split_is_offered_by_survivors_rest_and_rules(
    scores: list[int], players: tuple[int, int], rules: Rules, eligible: bool, why: str | None
) -> None:
    offer = offer_of(scores, *players, rules=rules)

    assert (offer.eligible, offer.auto, offer.why) == (eligible, False, why)


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


def test_odd_units_go_to_the_lowest_score_then_the_earlier_seat() -> None:
    assert split_shares(100, [95, 82, 90], [0, 0, 0], net=1) == (33, 34, 33)
    assert split_shares(101, [90, 90, 82], [0, 0, 0], net=1) == (34, 33, 34)
    assert split_shares(15000, [30, 60, 95], [3, 1, 0], net=2500) == (9167, 4167, 1666)


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


@pytest.mark.parametrize("limit", POOLS)
def test_a_total_at_the_limit_is_eliminated(limit: int) -> None:
    assert (is_out(limit - 1, POOLS[limit]), is_out(limit, POOLS[limit])) == (False, True)
