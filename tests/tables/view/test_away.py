"""A player who was away sees the missed turns, and when they will be dropped (RB 5.8)."""

import pytest
from django.utils import timezone

from tables.state import clock
from tables.state.fold import fold_of
from tables.view.table_view import table_view
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import deal_at, move, reread, run_out, seat_at

pytestmark = pytest.mark.django_db


def mine(table, position):
    return table_view(reread(table), seat_at(table, position).player).me


def wait_out(table):
    run_out(table, seconds=60)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())


def take_a_turn(table, position):
    move(table, position, "ds")
    move(table, position, f"x {fold_of(deal_at(table)).state.drawn}")


@pytest.mark.extended
def test_each_missed_turn_is_shown_until_the_player_acts_again():
    table = make_game(players=2)
    assert mine(table, 1).clock_played is None

    wait_out(table)
    assert (mine(table, 1).clock_played, mine(table, 1).misses_left) == (["miss +30000"], 2)
    assert mine(table, 2).clock_played is None
    take_a_turn(table, 2)
    wait_out(table)
    assert (len(mine(table, 1).clock_played), mine(table, 1).misses_left) == (2, 1)
    take_a_turn(table, 2)
    take_a_turn(table, 1)

    assert (mine(table, 1).clock_played, mine(table, 1).misses_left) == (None, None)


def test_the_third_missed_turn_is_shown_as_a_drop():
    table = make_game(players=3)
    for _ in range(3):
        wait_out(table)
        take_a_turn(table, 2)
        take_a_turn(table, 3)
        if mine(table, 1).misses_left == 0:
            break

    assert (len(mine(table, 1).clock_played), mine(table, 1).misses_left) == (3, 0)
