"""Plans of tournaments: table sizes, byes and rounds (RB 10.1, 10.2)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.exceptions import BadPlan
from tournaments.planning.plan import plan, qualifying_from, table_sizes

ENTRANTS = st.integers(1, 3000)
SEATS = st.integers(2, 6)


@given(ENTRANTS, SEATS)
def test_tables_are_even_and_as_few_as_possible(entrants, seats):
    sizes = table_sizes(entrants, seats)

    assert sum(sizes) == entrants
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= seats
    assert len(sizes) == -(-entrants // seats)


@given(st.integers(2, 3000), st.integers(3, 6))
def test_byes_are_only_heads_up(entrants, seats):
    assert min(table_sizes(entrants, seats)) >= 2


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
