"""Prizes: sums, rows and ties (RB 10.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.exceptions import BadPrizes
from tournaments.planning.prize_table import (
    DEFAULT_ROWS,
    LARGE_ROWS,
    check_rows,
    prize_list,
    rows_for,
    shared_prizes,
)

POOL = 53 * (4900 - 490)


def test_prizes_of_53_entrants_at_49_00():
    prizes = prize_list(POOL, rows_for(53), finishers=53)

    assert POOL == 233730
    assert prizes == (70119, 46746, 28048, 21620, 17530, 14608, 12271, 9933, 7596, 5259)


def test_three_tied_for_second_place_share_what_their_places_pay():
    prizes = prize_list(POOL, rows_for(53), finishers=53)

    paid = shared_prizes(prizes, [["a"], ["b", "c", "d"], ["e"]])

    assert [paid[entry] for entry in "bcd"] == [32138, 32138, 32138]
    assert paid["e"] == prizes[4]


@pytest.mark.parametrize("rows", [rows for _, rows in DEFAULT_ROWS] + [LARGE_ROWS])
def test_default_prize_rows_sum_to_100_percent(rows):
    check_rows(rows)


@pytest.mark.parametrize("entrants", [2, 20, 21, 30, 31, 50, 51, 100, 101, 3000])
def test_prize_rows_change_at_the_rulebook_thresholds(entrants):
    places = {2: 2, 20: 2, 21: 3, 30: 3, 31: 5, 50: 5, 51: 10, 100: 10, 101: 20, 3000: 20}

    assert len(rows_for(entrants)) == places[entrants]


@given(st.integers(0, 10**12), st.integers(1, 3000))
def test_prizes_sum_to_the_pool_and_never_rise(pool, finishers):
    prizes = prize_list(pool, rows_for(finishers), finishers=finishers)

    assert sum(prizes) == pool
    assert list(prizes) == sorted(prizes, reverse=True)


@given(st.integers(0, 10**9), st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_shares_of_any_ties_sum_to_what_is_paid(pool, sizes):
    names = iter(range(sum(sizes)))
    tied = [[str(next(names)) for _ in range(size)] for size in sizes]
    prizes = prize_list(pool, rows_for(sum(sizes)), finishers=sum(sizes))

    paid = shared_prizes(prizes, tied)

    assert sum(paid.values()) == pool
    for group in tied:
        shares = [paid[entry] for entry in group]
        assert max(shares) - min(shares) <= 1
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("rows", [(), (5000,), (5000, 6000, -1000), (4000, 6000), (10000, 0)])
def test_invalid_prize_rows_are_refused(rows):
    with pytest.raises(BadPrizes):
        check_rows(rows)
