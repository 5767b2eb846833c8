"""Plans of tournaments: table sizes, byes and rounds (RB 10.1, 10.2)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.exceptions import BadPlan, BadPrizes
from tournaments.planning.plan import plan, qualifying_from, table_sizes
from tournaments.planning.prize_table import (
    DEFAULT_ROWS,
    LARGE_ROWS,
    check_rows,
    prize_list,
    rows_for,
    shared_prizes,
)

ENTRANTS = st.integers(1, 3000)
SEATS = st.integers(2, 6)


@given(ENTRANTS, SEATS)
def test_tables_are_even_and_as_few_as_possible(entrants, seats):
    sizes = table_sizes(entrants, seats)

    assert sum(sizes) == entrants
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= seats
    assert len(sizes) == -(-entrants // seats)
    assert seats == 2 or entrants == 1 or min(sizes) >= 2, "byes are only heads-up"


@given(ENTRANTS, SEATS, st.data())
def test_plan_ends_in_a_final_and_every_table_eliminates(entrants, seats, data):
    qualify = data.draw(st.integers(1, seats - 1))
    final = data.draw(st.integers(2, seats))

    rounds = plan(entrants, seats=seats, qualify=qualify, final=final)

    assert [r.no for r in rounds] == list(range(1, len(rounds) + 1))
    assert [r.is_final for r in rounds] == [False] * (len(rounds) - 1) + [True]
    assert rounds[-1].entrants <= final
    for before, after in pairwise(rounds):
        assert before.qualifiers == after.entrants < before.entrants
    for size in rounds[0].sizes:
        assert qualifying_from(size, qualify) < size or size == 1


def test_a_thousand_entrants():
    entrants = [r.entrants for r in plan(1000, seats=6, qualify=2, final=6)]

    assert entrants == [1000, 334, 112, 38, 14, 6]


@pytest.mark.parametrize(
    ("seats", "qualify", "final"), [(6, 6, 6), (6, 0, 6), (7, 2, 6), (6, 2, 1), (4, 2, 5)]
)
def test_invalid_plan_is_refused(seats, qualify, final):
    with pytest.raises(BadPlan):
        plan(30, seats=seats, qualify=qualify, final=final)


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
