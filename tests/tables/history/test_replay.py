"""A deal's replay: player, duration, hands and score at each step."""

from datetime import timedelta

import pytest

from tables.history.replay import replay
from tables.models.deals import Deal
from tables.seats import seating
from tables.state import clock
from tables.state.fold import fold_of
from tests.builders.tables.deals import drop_out, settle, take_turn
from tests.builders.tables.making import make_game, make_player, make_rules
from tests.builders.tables.playing import deal_at, hand_of, move, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game

pytestmark = pytest.mark.django_db


def replayed(deal, ply, viewer=None):
    return replay(Deal.objects.revealed().get(pk=deal.pk), ply, viewer or make_player())


def test_every_step_shows_what_everybody_held(game_of_two):
    table = game_of_two
    dealt = [sorted(hand_of(table, position)) for position in (1, 2)]
    move(table, 1, "ds")
    drawn = str(fold_of(deal_at(table)).state.drawn)
    move(table, 1, f"x {drawn}")
    deal = drop_out(table)

    first, second, last = (replayed(deal, ply) for ply in (0, 1, 3))

    assert [sorted(seat.hand.replace("|", " ").split()) for seat in first.seats] == dealt
    assert (first.move, first.results) == (None, None)
    assert (second.move.handle, second.move.card) == (seat_of(deal, 1), drawn)
    assert (second.seats[0].drawn, second.stock) == (drawn, first.stock - 1)
    assert [line.action for line in last.moves] == ["ds", "x", "drop"]
    assert last.open_pile[-1] == drawn
    assert [(row.points, row.how, row.total) for row in last.results] == [
        (0, "won", 0),
        (20, "first_drop", 20),
    ]
    assert last.results[0].arrangement
    assert last.server_seed == deal.reveal.server_seed


def seat_of(deal, position):
    return deal.deal_seats.get(position=position).seat.player.handle


def test_replay_ends_after_the_last_move(game_of_two):
    deal = drop_out(game_of_two)

    assert replayed(deal, 1).plies == 1
    assert replayed(deal, 2) is None
    assert replayed(deal, -1) is None


def test_a_moves_time_counts_from_the_start_of_its_turn(game_of_three):
    table = game_of_three
    take_turn(table)
    seating.leave(seat_id=seat_at(table, 3).pk)
    take_turn(table)
    deal = drop_out(table)
    rows = list(deal.moves.order_by("ply"))

    shown = replayed(deal, 0).moves

    assert [line.action for line in shown[:5]] == ["ds", "x", "leave", "ds", "x"]
    assert shown[2].used_ms is None
    assert shown[1].used_ms == (rows[1].made_at - rows[0].made_at) // timedelta(milliseconds=1)
    assert shown[3].used_ms == (rows[3].made_at - rows[1].made_at) // timedelta(milliseconds=1)


def test_the_first_turn_begins_when_the_toss_has_been_seen():
    table = make_game(players=2, rules=make_rules(toss_seconds=5))
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=table.due_at + timedelta(seconds=1))
    deal = drop_out(table)

    assert replayed(deal, 0).moves[0].used_ms == 0
    assert [line.card for line in replayed(deal, 0).toss] == deal.toss.split()


def test_the_clocks_moves_are_its_own(game_of_two):
    table = game_of_two
    move(table, 1, "ds")
    drawn = str(fold_of(deal_at(table)).state.drawn)
    table = run_out(table, seconds=31)
    clock.apply_overdue(table_id=table.pk, now=table.due_at + timedelta(seconds=31))
    deal = drop_out(table)

    missed = replayed(deal, 2).move

    assert (missed.origin, missed.action, missed.card) == ("clock", "miss", drawn)
    assert missed.extra_ms == 30_000
    assert replayed(deal, 2).seats[0].misses == 1


def test_replay_of_a_wrong_show_has_its_groups_and_reasons(game_of_three):
    table = game_of_three
    move(table, 1, "ds")
    hand = hand_of(table, 1)
    sent = " ".join(hand[:3])
    move(table, 1, f"show {sent} / {' '.join(hand[3:13])} x {hand[13]}")
    deal = drop_out(table)

    shown, last = replayed(deal, 2), replayed(deal, deal.moves.count())

    assert (shown.move.groups, shown.move.card) == ([sent], hand[13])
    assert shown.seats[0].laid.startswith(f"{sent} / ")
    assert shown.seats[0].standing == "wrong_show"
    assert last.results[0].reasons
    assert last.results[0].submitted[0].cards == sent


def test_the_replay_of_a_void_deal_has_no_totals():
    table = make_game(players=2, rules=make_rules(limit=81, first_drop=40, middle_drop=80, cap=80))
    seating.leave(seat_id=seat_at(table, 1).pk)
    seating.leave(seat_id=seat_at(table, 2).pk)

    shown = replayed(settle(table), 1)

    assert shown.is_void
    assert [row.total for row in shown.results] == [None, None]


def test_at_a_points_table_the_last_step_tells_the_money():
    deal = drop_out(make_points_game(players=2, stack=200_00))

    shown = replayed(deal, 1).results

    assert [(row.points, row.won.minor) for row in shown] == [(20, -20_00), (0, 20_00)]


@pytest.mark.extended
def test_long_deals_take_no_more_queries_than_short_ones(
    django_assert_max_num_queries, game_of_two
):
    table = game_of_two
    for _ in range(10):
        take_turn(table)
    deal = drop_out(table)
    viewer = make_player()

    with django_assert_max_num_queries(11):
        shown = replayed(deal, 20, viewer)

    assert shown.plies == 21
