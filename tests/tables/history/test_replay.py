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


def replayed(deal, viewer=None):
    return replay(Deal.objects.revealed().get(pk=deal.pk), viewer or make_player())


def test_every_step_shows_what_everybody_held(game_of_two):
    table = game_of_two
    dealt = [sorted(hand_of(table, position)) for position in (1, 2)]
    move(table, 1, "ds")
    drawn = str(fold_of(deal_at(table)).state.drawn)
    move(table, 1, f"x {drawn}")
    deal = drop_out(table)

    shown = replayed(deal, deal.deal_seats.get(position=1).seat.player)

    first, second, _, last = shown.steps
    assert [sorted(hand.hand.replace("|", " ").split()) for hand in first.hands] == dealt
    assert [seat.is_me for seat in shown.seats] == [True, False]
    assert (shown.moves[0].handle, shown.moves[0].card) == (seat_of(deal, 1), drawn)
    assert (second.hands[0].drawn, second.stock) == (drawn, first.stock - 1)
    assert [line.action for line in shown.moves] == ["ds", "x", "drop"]
    assert last.open_pile[-1] == drawn
    assert [(row.points, row.how, row.total) for row in shown.results] == [
        (0, "won", 0),
        (20, "first_drop", 20),
    ]
    assert shown.results[0].arrangement
    assert shown.server_seed == deal.reveal.server_seed


def seat_of(deal, position):
    return deal.deal_seats.get(position=position).seat.player.handle


def test_a_moves_time_counts_from_the_start_of_its_turn(game_of_three):
    table = game_of_three
    take_turn(table)
    seating.leave(seat_id=seat_at(table, 3).pk)
    take_turn(table)
    deal = drop_out(table)
    rows = list(deal.moves.order_by("ply"))

    shown = replayed(deal).moves

    assert [line.action for line in shown[:5]] == ["ds", "x", "leave", "ds", "x"]
    assert shown[2].used_ms is None
    assert shown[1].used_ms == (rows[1].made_at - rows[0].made_at) // timedelta(milliseconds=1)
    assert shown[3].used_ms == (rows[3].made_at - rows[1].made_at) // timedelta(milliseconds=1)


def test_the_first_turn_begins_when_the_toss_has_been_seen():
    table = make_game(players=2, rules=make_rules(toss_seconds=5))
    table = run_out(table)
    clock.apply_overdue(table_id=table.pk, now=table.due_at + timedelta(seconds=1))
    deal = drop_out(table)

    assert replayed(deal).moves[0].used_ms == 0
    assert [line.card for line in replayed(deal).toss] == deal.toss.split()


def test_the_clocks_moves_are_its_own(game_of_two):
    table = game_of_two
    move(table, 1, "ds")
    drawn = str(fold_of(deal_at(table)).state.drawn)
    table = run_out(table, seconds=31)
    clock.apply_overdue(table_id=table.pk, now=table.due_at + timedelta(seconds=31))
    deal = drop_out(table)

    shown = replayed(deal)
    missed = shown.moves[1]

    assert (missed.origin, missed.action, missed.card) == ("clock", "miss", drawn)
    assert missed.extra_ms == 30_000
    assert shown.steps[2].hands[0].misses == 1


def test_replay_of_a_wrong_show_has_its_groups_and_reasons(game_of_three):
    table = game_of_three
    move(table, 1, "ds")
    hand = hand_of(table, 1)
    sent = " ".join(hand[:3])
    move(table, 1, f"show {sent} / {' '.join(hand[3:13])} x {hand[13]}")
    deal = drop_out(table)

    shown = replayed(deal)

    assert (shown.moves[1].groups, shown.moves[1].card) == ([sent], hand[13])
    assert shown.steps[2].hands[0].laid.startswith(f"{sent} / ")
    assert shown.steps[2].hands[0].standing == "wrong_show"
    assert shown.results[0].reasons
    assert shown.results[0].submitted[0].cards == sent


def test_the_replay_of_a_void_deal_has_no_totals():
    table = make_game(players=2, rules=make_rules(limit=81, first_drop=40, middle_drop=80, cap=80))
    seating.leave(seat_id=seat_at(table, 1).pk)
    seating.leave(seat_id=seat_at(table, 2).pk)

    shown = replayed(settle(table))

    assert shown.is_void
    assert [row.total for row in shown.results] == [None, None]


def test_at_a_points_table_the_last_step_tells_the_money():
    deal = drop_out(make_points_game(players=2, stack=200_00))

    shown = replayed(deal).results

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

    with django_assert_max_num_queries(12):
        shown = replayed(deal, viewer)

    assert (len(shown.moves), len(shown.steps)) == (21, 22)
