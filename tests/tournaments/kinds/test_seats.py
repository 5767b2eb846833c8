"""Balanced tables and seats in turn, as pure functions (RB 10.9, 10.10)."""

import random
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.kinds.balanced import balanced
from tournaments.kinds.race import Race, tables_of_waiting
from tournaments.planning.plan import table_sizes


@st.composite
def tables_after_a_deal(draw):
    """Return the seats of a table, tables of those still in, and a drawn order of them."""
    seats, entrants = draw(st.integers(2, 6)), draw(st.integers(1, 400))
    dice = random.Random(draw(st.integers(0, 2**32)))
    chance = draw(st.floats(0.05, 1))
    numbers = iter(range(entrants))
    full = [[next(numbers) for _ in range(size)] for size in table_sizes(entrants, seats)]
    tables = [[player for player in table if dice.random() < chance] for table in full]
    tables = [table for table in tables if table]
    drawn = [player for table in tables for player in table]
    dice.shuffle(drawn)
    return seats, tables, drawn


@settings(max_examples=200, deadline=None)
@given(tables_after_a_deal())
def test_balancing_seats_everyone_once_at_the_fewest_even_tables(case):
    seats, tables, drawn = case

    after = balanced(tables, drawn, seats)

    assert sorted(player for table in after for player in table) == sorted(drawn)
    assert sorted(map(len, after), reverse=True) == list(
        table_sizes(len(drawn), seats) if drawn else ()
    )


@settings(max_examples=200, deadline=None)
@given(tables_after_a_deal())
def test_balancing_moves_no_more_players_than_needed(case):
    seats, tables, drawn = case

    after = balanced(tables, drawn, seats)

    stayed = sum(max(len(set(old) & set(new)) for old in tables) for new in after)
    sizes = sorted(map(len, tables), reverse=True)
    wanted = table_sizes(len(drawn), seats) if drawn else ()
    assert len(drawn) - stayed <= sum(sizes) - sum(map(min, sizes, wanted))


@pytest.mark.parametrize(
    ("tables", "drawn", "seats", "after"),
    [
        # Eight of nine are left: the table of two is broken.
        (["abc", "def", "gh"], "hgfedcba", 4, ["abch", "defg"]),
        # Two of six move to the table that has lost players.
        (["abcdef", "gh"], "fedcbahg", 6, ["abcd", "ghfe"]),
        # No one moves while sizes differ by one.
        (["abcde", "fghi"], "abcdefghi", 6, ["abcde", "fghi"]),
        # The last table: everyone sits together.
        (["ab", "c", "d"], "dcba", 6, ["abdc"]),
    ],
)
def test_worked_examples_of_balanced_tables(tables, drawn, seats, after):
    assert ["".join(table) for table in balanced(tables, drawn, seats)] == after


@given(st.integers(0, 60), st.integers(2, 6), st.booleans())
def test_waiting_players_are_seated_in_turn_and_never_alone(number, seats, takes_fewer):
    waiting = list(range(number))

    tables = tables_of_waiting(waiting, seats, takes_fewer=takes_fewer)

    seated = [player for table in tables for player in table]
    assert seated == waiting[: len(seated)]
    assert all(2 <= len(table) <= seats for table in tables)
    assert number - len(seated) < (2 if takes_fewer else seats)


@dataclass
class Sitting:
    scores: list = field(default_factory=list)


def sitting(how, points):
    return Sitting([SimpleNamespace(how=how, points=points)])


@pytest.mark.parametrize(
    ("deal", "net"),
    [
        # A first drop costs 20 and a full hand 80: the winner gets 100.
        ([("won", 0), ("first_drop", 20), ("lost", 80)], [100, -20, -80]),
        # A wrong show and a departure are losses like any other.
        ([("wrong_show", 80), ("won", 0), ("left", 40), ("lost", 2)], [-80, 122, -40, -2]),
    ],
)
def test_worked_examples_of_net_points(deal, net):
    totals = Race().totals({number: sitting(*each) for number, each in enumerate(deal)})

    assert [totals[number] for number in range(len(deal))] == net


def test_a_table_without_a_scored_deal_changes_no_points():
    assert Race().totals({1: Sitting(), 2: Sitting()}) == {1: 0, 2: 0}


@settings(max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.integers(-900, 900)), min_size=2, max_size=40))
def test_ranks_of_a_race_are_a_total_order_by_net_points_with_leavers_last(entries):
    ranks = [
        Race().rank(SimpleNamespace(), SimpleNamespace(), score=score, is_out=is_out)
        for is_out, score in entries
    ]

    for (one_out, one), rank in zip(entries, ranks, strict=True):
        for (other_out, other), other_rank in zip(entries, ranks, strict=True):
            assert (rank < other_rank) == ((one_out, -one) < (other_out, -other))
            assert (rank == other_rank) == ((one_out, one) == (other_out, other))
