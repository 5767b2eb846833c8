"""Straight rummy at a table: from buy-in to payout, target and rounds, leavers and ties (RB 9)."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from rummy import StraightRules
from tables.fairness import seeds
from tables.games import game_of
from tables.seats import seating
from tables.settlement.models import Result
from tables.table.announcing import publish
from tables.table.locks import lock_table
from tables.table.models import Table
from tables.table.seat_models import Score
from tables.view.table_view import table_view
from tests.builders.tables.deals import settle
from tests.builders.tables.straight_tables import (
    make_straight_game,
    seed_of_a_tie,
    straight_rules,
    win_by_waiting,
    worth_of,
)
from tests.builders.tables.tables import deal_at, make_game, move, reread, seat_at
from wallet.audit import audit

pytestmark = pytest.mark.django_db


def places(table):
    return sorted(Result.objects.filter(table=table).values_list("place", "prize_minor"))


def is_paid_out(table):
    assert reread(table).escrow.balance_minor == 0
    assert audit.audit().is_clean


def test_who_reaches_the_target_takes_the_prize():
    table = make_straight_game(target=1)
    winner, lost = seat_at(table, 2), worth_of(table, 1)

    assert win_by_waiting(table, 2) == lost

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "won")
    assert places(table) == [(1, 180_00), (2, 0)]
    result = Result.objects.get(seat=winner)
    assert (result.place, result.total) == (1, lost)
    assert Score.objects.get(seat=winner).how == Score.How.WON
    assert Score.objects.get(points=0).how == Score.How.LEFT
    is_paid_out(table)


def test_below_the_target_the_deal_moves_on_and_totals_add_up():
    table = make_straight_game(target=1_000)
    winner = seat_at(table, 2)

    first = win_by_waiting(table, 2)
    second_deal = deal_at(table)
    at = second_deal.deal_seats.get(seat=winner).position
    second = win_by_waiting(table, at)

    assert at == 1, "the former leader deals"
    assert table.seats.totals()[winner.pk] == first + second
    assert reread(table).phase == Table.Phase.PLAYING


def test_after_the_agreed_rounds_the_best_total_wins():
    table = make_straight_game(game="rounds", target=None, rounds=2)
    one, other = seat_at(table, 1), seat_at(table, 2)

    first = win_by_waiting(table, 2)
    assert reread(table).phase == Table.Phase.PLAYING
    second = win_by_waiting(table, deal_at(table).deal_seats.get(seat=one).position)

    best = other if first > second else one
    assert Result.objects.get(place=1).seat == best
    is_paid_out(table)


def test_only_leaders_who_tie_play_on_and_the_first_ahead_wins(settings):
    rules = straight_rules(game="rounds", target=None, rounds=2, cards_for_four=3)
    settings.SIMULATION_SEED = seed_of_a_tie(rules)
    table = make_game(players=3, rules=rules, name="a tie", owner_ref=seeds.SIMULATION)
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))

    won = win_by_waiting(table, 3)
    assert seat_at(table, 3) == first
    assert win_by_waiting(table, 3) == won

    assert reread(table).phase == Table.Phase.PLAYING
    tied = {place.seat for place in deal_at(table).deal_seats.all()}
    assert tied == {first, third}
    winner = seat_at(table, 2)
    win_by_waiting(table, 2)
    places = dict(Result.objects.filter(table=table).values_list("seat", "place"))
    assert places == {winner.pk: 1, (tied - {winner}).pop().pk: 2, second.pk: 3}
    is_paid_out(table)


@pytest.mark.parametrize("bonus", [None, 10])
def test_penalties_count_against_oneself_and_the_lowest_total_wins(bonus):
    table = make_straight_game(2, "penalty scoring", target=1, rummy_bonus=bonus)
    loser, lost = seat_at(table, 1), worth_of(table, 1)

    win_by_waiting(table, 2)

    assert Result.objects.get(seat=loser).total == lost
    assert Result.objects.get(place=1).seat != loser
    is_paid_out(table)


def test_who_leaves_is_out_the_hand_counts_and_the_entry_stays_in_the_prize():
    table = make_straight_game(3, target=1_000)
    leaver, winner, lost = seat_at(table, 2), seat_at(table, 3), worth_of(table, 2)

    seating.leave(seat_id=leaver.pk)
    assert table_view(reread(table), None).seats[leaver.number - 1].status == "left"
    points = win_by_waiting(table, 3)

    assert points >= lost
    assert {place.seat_id for place in deal_at(table).deal_seats.all()} == {
        seat.pk for seat in table.seats.present()
    }
    seating.leave(seat_id=table.seats.present().exclude(pk=winner.pk).get().pk)
    settle(table)
    assert Result.objects.get(seat=winner).prize_minor == 270_00
    is_paid_out(table)


def test_everybody_may_leave_before_acting_and_has_the_entry_back():
    table = make_straight_game(2)
    for position in (1, 2):
        if not reread(table).is_over:
            seating.leave(seat_id=seat_at(table, position).pk)
    settle(table)

    assert reread(table).phase == Table.Phase.CANCELLED
    is_paid_out(table)


def test_a_table_that_is_called_off_shares_the_money():
    table = make_straight_game(3, target=1_000, gap_seconds=60)
    win_by_waiting(table, 2)

    with transaction.atomic():
        locked = lock_table(table.pk)
        game_of(locked).call_off_between(locked, timezone.now())
        publish(locked)

    is_paid_out(table)


def test_a_view_shows_the_melds_of_all_seats_and_the_taken_card_and_no_wild_card():
    table = make_straight_game(2, must_discard_last=True)
    up = table_view(reread(table), None).deal.open_pile[-1]
    move(table, 1, "do")

    seen = table_view(reread(table), seat_at(table, 2).player)

    assert (seen.deal.wild, seen.deal.wild_rank, seen.deal.melds) == ("", "", [])
    assert (seen.deal.taken, seen.me.drawn) == (up, None)
    assert (seen.target, seen.rounds, seen.limit, seen.cap) == (100, None, None, 0)
    assert (seen.game, seen.variant, seen.group_rules) == ("target", "Straight 100", None)
    assert seen.drops_allowed is False
    assert (seen.meld_rules.ace_points, seen.meld_rules.must_discard_last) == (1, True)


def test_nobody_drops_or_shows_in_straight_rummy():
    table = make_straight_game(2)
    legal = table_view(reread(table), seat_at(table, 1).player).me.legal
    assert legal == ["ds", "do"]

    with pytest.raises(Exception, match="no move of straight rummy"):
        move(table, 1, "drop")


def test_a_game_of_straight_rummy_has_no_price_of_a_point():
    rules = straight_rules()
    assert isinstance(rules, StraightRules)
    with pytest.raises(Exception, match="no price"):
        make_game(rules=rules, point_value_minor=5)
