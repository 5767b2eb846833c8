"""Verifiable draw, snake seeding and few rematches (RB 10.1)."""

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.planning.plan import plan, qualifying_from, table_sizes
from tournaments.rounds.draw import draw_order, repaired, seat_in_turn, snake

ENTRANTS = st.integers(1, 3000)
SEATS = st.integers(2, 6)


def rematches(tables, met_at):
    """Count the pairs that sat at one table in the last round and do so again."""
    pairs = 0
    for table in tables:
        origins = Counter(met_at[entry] for entry in table)
        pairs += sum(n * (n - 1) // 2 for n in origins.values())
    return pairs


@settings(max_examples=25, deadline=None)
@given(
    st.sets(st.text(min_size=1, max_size=8), min_size=1, max_size=40),
    st.binary(min_size=32, max_size=32),
)
def test_the_draw_depends_on_the_seed_and_the_ids_alone(ids, seed):
    backwards = sorted(ids, reverse=True)

    assert draw_order(seed, list(ids)) == draw_order(seed, backwards)
    assert sorted(draw_order(seed, backwards)) == sorted(ids)


def test_different_seeds_draw_different_orders():
    ids = [str(n) for n in range(52)]

    assert draw_order(bytes(32), ids) != draw_order(bytes([1] * 32), ids)


@given(ENTRANTS, SEATS)
def test_both_ways_of_seating_seat_everybody_once_at_even_tables(entrants, seats):
    order = list(range(entrants))

    for tables in (seat_in_turn(order, seats), snake(order, seats)):
        assert sorted(entry for table in tables for entry in table) == order
        assert sorted(map(len, tables)) == sorted(table_sizes(entrants, seats))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 3000), SEATS, st.integers(0, 2**32))
def test_repair_keeps_sizes_and_players_and_never_makes_more_rematches(entrants, seats, seed):
    dice = random.Random(seed)
    met_at = {entry: dice.randrange(max(1, entrants // 2)) for entry in range(entrants)}
    before = snake(list(range(entrants)), seats)

    after = repaired(before, met_at)

    assert list(map(len, after)) == list(map(len, before))
    assert sorted(e for table in after for e in table) == list(range(entrants))
    assert rematches(after, met_at) <= rematches(before, met_at)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 3000), SEATS, st.data())
def test_rounds_of_a_whole_field_follow_the_plan(entrants, seats, data):
    qualify = data.draw(st.integers(1, seats - 1))
    dice = random.Random(data.draw(st.integers(0, 2**32)))
    rounds = plan(entrants, seats=seats, qualify=qualify, final=seats)
    left, tables = set(range(entrants)), seat_in_turn(range(entrants), seats)

    for planned in rounds[:-1]:
        assert sorted(map(len, tables), reverse=True) == list(planned.sizes)
        assert sorted(entry for table in tables for entry in table) == sorted(left)
        through = [dice.sample(table, qualifying_from(len(table), qualify)) for table in tables]
        met_at = {entry: no for no, table in enumerate(through) for entry in table}
        left = set(met_at)
        tables = repaired(snake(dice.sample(sorted(left), len(left)), seats), met_at)

    assert len(left) == rounds[-1].entrants <= seats


def test_twenty_qualifiers_of_ten_tables_have_no_rematch():
    dice = random.Random(7)
    for _ in range(60):
        met_at = {entry: entry // 2 for entry in range(20)}
        ranked = list(range(20))
        dice.shuffle(ranked)

        assert rematches(repaired(snake(ranked, 6), met_at), met_at) == 0
