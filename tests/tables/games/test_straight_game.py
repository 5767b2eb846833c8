"""Straight rummy at a table: from buy-in to payout, target and rounds, leavers and ties (RB 9)."""

from __future__ import annotations

import pytest

from tables.history.deal_file import history_text
from tables.history.fairness import seeds
from tables.history.replay import replay
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement.models import Result
from tables.view.cards import best_hand
from tables.view.table_view import table_view
from tests.builders.tables.deals import settle
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import deal_at, hand_of, move, reread, seat_at
from tests.builders.tables.straight_tables import (
    make_straight_game,
    seed_of_a_tie,
    seed_of_tied_penalties,
    straight_rules,
    win_by_waiting,
    worth_of,
)
from wallet.audit.audit import row_findings

pytestmark = pytest.mark.django_db


def places(table):
    return sorted(Result.objects.filter(table=table).values_list("place", "prize_minor"))


def is_paid_out(table):
    assert reread(table).escrow.balance_minor == 0
    assert row_findings() == ()


def test_the_player_who_reaches_the_target_takes_the_prize():
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


def tie_at_penalties(settings, **overrides):
    """A table of three whose first and third tie at the lowest penalties after two deals."""
    few = {"cards_for_two": 3, "cards_for_four": 3}
    rules = straight_rules("straight", "penalty scoring", **few | overrides)
    settings.SIMULATION_SEED = seed_of_tied_penalties(rules.with_(**few))
    table = make_game(players=3, rules=rules, name="a tie", owner_ref=seeds.SIMULATION)
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))
    win_by_waiting(table, 3)
    win_by_waiting(table, 3)
    tied = {place.seat for place in deal_at(table).deal_seats.all()}
    assert (reread(table).phase, tied) == (Table.Phase.PLAYING, {first, third})
    return table, second


def test_penalties_of_a_tie_break_deal_rank_no_one_behind_the_other_players(settings):
    table, second = tie_at_penalties(settings, target=40, cards_for_two=20)
    winner, loser = seat_at(table, 2), seat_at(table, 1)

    win_by_waiting(table, 2)

    totals = table.seats.totals()
    assert totals[loser.pk] > totals[second.pk]
    places = dict(Result.objects.filter(table=table).values_list("seat", "place"))
    assert places == {winner.pk: 1, loser.pk: 2, second.pk: 3}
    is_paid_out(table)


def test_penalties_of_both_the_tied_do_not_make_another_the_winner(settings):
    table, second = tie_at_penalties(settings, target=40, cards_for_two=20, max_turns=3)
    tied = [seat_at(table, position) for position in (1, 2)]

    for position in (1, 2, 1):
        move(table, position, "ds")
        move(table, position, f"x {hand_of(table, position)[-1]}")
    settle(table)

    totals = table.seats.totals()
    assert min(totals[seat.pk] for seat in tied) > totals[second.pk]
    assert Result.objects.get(place=1).seat in tied
    assert Result.objects.get(place=3).seat == second
    is_paid_out(table)


def test_a_target_that_is_reached_stays_so_when_its_player_leaves(settings):
    table, second = tie_at_penalties(settings, target=40)
    winner = seat_at(table, 2)

    seating.leave(seat_id=second.pk)
    win_by_waiting(table, 2)

    assert (reread(table).phase, reread(table).ending) == (Table.Phase.FINISHED, "won")
    assert Result.objects.get(place=1).seat == winner
    is_paid_out(table)


def test_leaving_player_is_out_and_their_entry_stays_in_the_prize():
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


def test_straight_rummy_refuses_drops_and_shows():
    table = make_straight_game(2)
    legal = table_view(reread(table), seat_at(table, 1).player).me.legal
    assert legal == ["ds", "do"]

    with pytest.raises(Exception, match="no move of straight rummy"):
        move(table, 1, "drop")


def test_a_replay_shows_melds_and_hands_and_has_no_wild_card(client):
    table = make_straight_game(2, target=1)
    leaver = seat_at(table, 1)
    move(table, 1, "ds")
    seating.leave(seat_id=leaver.pk)
    deal = settle(table)

    seen = replay(deal, leaver.player)

    assert (seen.wild, seen.steps[2].reshuffles, seen.ending) == ("", 0, "last_standing")
    assert [move.action for move in seen.moves] == ["ds", "leave"]
    assert [result.how for result in seen.results] == ["left", "won"]
    assert "wild:" not in history_text(deal)
    client.force_login(leaver.player)
    page = client.get(f"/history/{table.public_id}/1/2/").content.decode()
    assert "left the table" in page


def test_a_practice_table_shows_the_best_melds_of_the_own_hand():
    table = make_straight_game(2, bots_fill=True)
    seat = seat_at(table, 1)

    best = best_hand(seat)

    cards = best.groups.replace("|", " ").replace("/", " ").split()
    assert sorted(cards) == sorted(hand_of(table, 1))
    assert best.points <= worth_of(table, 1)
    assert best.finish is None
