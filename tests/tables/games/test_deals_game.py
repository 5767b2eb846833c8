"""Best of two, three and six deals: chips, extra deals among the tied, the prize (RB 6, 8.2)."""

import random

import pytest
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from tables.games import game_of
from tables.games.deals.game import chips_of
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement.game_record import record_of
from tables.settlement.models import Result
from tables.state.fold import fold_of
from tables.state.locks import lock_table
from tables.state.publishing import publish
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import best_of, give_up, settle, take_turn
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.shared import shared
from tests.builders.tables.soundness import assert_over_and_sound
from wallet.audit.audit import row_findings
from wallet.ledger.models import Entry
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db


@shared
def best_of_six():
    return make_game(players=3, rules=best_of(6))


@shared
def best_of_three():
    return make_game(players=3, rules=best_of(3))


@shared
def two_deals():
    return make_game(players=3, rules=best_of(6, deals=2))


def walk_out(table, position):
    return seating.leave(seat_id=seat_at(table, position).pk)


def chips(table):
    return chips_of(record_of(reread(table)))


def test_losers_points_pass_as_chips_to_the_winner_of_the_deal(best_of_six):
    table = best_of_six
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))

    let_the_third_win(table)

    assert chips(table) == {first.pk: 460, second.pk: 460, third.pk: 520}
    score = Score.objects.get(seat=third)
    assert (score.points, score.chips_after, score.won_minor) == (0, 520, None)
    assert reread(table).phase == Table.Phase.PLAYING


@pytest.mark.parametrize("number", [2, 3])
def test_the_third_miss_costs_the_cap_where_drops_are_off(number):
    table = make_game(players=2, rules=best_of(number))
    loser, winner = seat_at(table, 1), seat_at(table, 2)

    give_up(table, 1)
    settle(table)

    start = 80 * number
    assert chips(table) == {loser.pk: start - 80, winner.pk: start + 80}
    assert Score.objects.get(seat=loser).points == 80


def test_most_chips_after_the_last_deal_take_the_prize():
    table = make_game(players=3, rules=best_of(6, deals=1))
    third = seat_at(table, 3)

    let_the_third_win(table)

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "won")
    places = Result.objects.filter(table=table).values_list("place", "prize_minor")
    assert sorted(places) == [(1, 270_00), (2, 0), (2, 0)]
    assert Result.objects.get(seat=third).place == 1
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()


def play_to_a_tie(table):
    """Two deals of three players: 440, 500 and 500 chips in the first deal's turn order."""
    move(table, 1, "drop")
    move(table, 2, "drop")
    settle(table)  # 460, 460, 520; now the second leads, then the third, then the first.
    take_turn(table)
    move(table, 2, "drop")
    move(table, 3, "drop")
    settle(table)  # The second wins 40.


def test_only_the_tied_play_an_extra_deal_and_the_others_stay_in_their_seats(two_deals):
    table = two_deals
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))

    play_to_a_tie(table)

    assert chips(table) == {first.pk: 440, second.pk: 500, third.pk: 500}
    extra = deal_at(table)
    assert extra.no == 3
    assert {place.seat_id for place in extra.deal_seats.all()} == {second.pk, third.pk}
    assert list(table.seats.active().in_seat_order()) == [first, second, third]
    move(table, 1, "drop")
    settle(table)
    assert reread(table).phase == Table.Phase.FINISHED
    assert sorted(chips(table).values()) == [440, 480, 520]
    by_chips = {chips(table)[row.seat_id]: row.place for row in Result.objects.all()}
    assert by_chips == {520: 1, 480: 2, 440: 3}


def test_still_tied_after_the_extra_deals_share_equally_the_odd_unit_to_the_earlier_seat():
    rules = best_of(6, deals=2, max_extra_deals=0)
    table = make_game(players=3, rules=rules, entry_minor=100_01, rake_bps=0)
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))

    play_to_a_tie(table)

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    paid = {row.seat_id: (row.place, row.prize_minor) for row in Result.objects.all()}
    assert paid == {second.pk: (1, 150_02), third.pk: (1, 150_01), first.pk: (3, 0)}
    assert table.escrow.balance_minor == 0


def let_the_third_win(table):
    move(table, 1, "drop")
    move(table, 2, "drop")
    settle(table)


def drop_on(table):
    while reread(table).phase == Table.Phase.PLAYING:
        move(table, fold_of(deal_at(table)).state.to_act, "drop")


def test_a_leaver_forfeits_despite_having_most_chips(two_deals):
    table = two_deals
    rich = seat_at(table, 3)
    let_the_third_win(table)
    seating.leave(seat_id=rich.pk)

    drop_on(table)
    settle(table)

    table = reread(table)
    assert table.phase == Table.Phase.FINISHED
    result = Result.objects.get(seat=rich)
    assert (result.place, result.prize_minor) == (3, 0)
    assert Result.objects.aggregate(sum=Sum("prize_minor"))["sum"] == 270_00
    assert row_findings() == ()


def test_the_last_one_at_the_table_wins_at_once(best_of_three):
    table = best_of_three
    last = seat_at(table, 3)
    take_turn(table)

    walk_out(table, 1)
    walk_out(table, 2)
    settle(table)

    assert reread(table).phase == Table.Phase.FINISHED
    assert Result.objects.get(seat=last).prize_minor == 270_00


def test_a_deal_left_by_all_without_any_action_refunds_every_entry(best_of_three):
    table = best_of_three

    seats = list(table.seats.present())
    for seat in seats:
        seating.leave(seat_id=seat.pk)
    settle(table)

    assert reread(table).phase == Table.Phase.CANCELLED
    assert set(Stake.objects.values_list("status", flat=True)) == {"refunded"}
    assert table.escrow.balance_minor == 0
    assert not Result.objects.exists()


def test_everybody_left_a_deal_that_was_played_the_most_chips_before_it_win(best_of_six):
    table = best_of_six
    rich = seat_at(table, 3)
    let_the_third_win(table)
    take_turn(table)

    for seat in table.seats.present():
        seating.leave(seat_id=seat.pk)
    settle(table)

    assert reread(table).phase == Table.Phase.FINISHED
    assert Result.objects.get(seat=rich).prize_minor == 270_00


def test_cancelling_a_later_deal_shares_the_money_among_remaining_players(best_of_six):
    table = best_of_six
    gone = seat_at(table, 1)
    let_the_third_win(table)
    seating.leave(seat_id=gone.pk)
    drop_on(table)
    settle(table)

    with transaction.atomic():
        locked = lock_table(table.pk)
        game_of(locked).call_off(locked, locked.deals.get(no=locked.deal_no), timezone.now())
        publish(locked)

    assert reread(table).phase == Table.Phase.CANCELLED
    returned = Entry.objects.filter(
        transfer__key=f"cancel:{table.pk}", account__player__isnull=False
    )
    # Three entries of 100.00 less the rake of the lost one: 290.00, 145.00 each.
    assert {(e.account.player_id) for e in returned} == set(
        table.seats.present().values_list("player", flat=True)
    )
    assert returned.aggregate(sum=Sum("amount_minor"))["sum"] == 290_00
    assert row_findings() == ()


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)  # Committed moves need not be folded again.
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 4))]
)
@pytest.mark.parametrize("number", [3, *(pytest.param(n, marks=pytest.mark.soak) for n in (2, 6))])
def test_any_game_of_deals_ends_and_keeps_its_chips_and_money(number, seed, settings):
    settings.SIMULATION_SEED = f"deals {number} {seed}"
    players = 2 + (seed + number) % 5
    people = People(
        make_game(players=players, rules=best_of(number)), random.Random(seed), leaving=0.005
    )

    table = people.play_on()

    assert_over_and_sound(table)
    assert row_findings() == ()
    assert sum(chips(table).values()) == players * 80 * number


def test_deals_for_chips_of_a_tournament_end_with_places_and_no_money():
    table = make_table(
        rules=best_of(6, deals=1), seats_min=3, seats_max=3, stake_mode="chips", entry_minor=0
    )
    before = Entry.objects.count()
    players = [make_player() for _ in range(3)]
    granted = Entry.objects.count()
    for player in players:
        seating.join(table_id=table.pk, player=player)

    let_the_third_win(table)

    table = reread(table)
    assert (table.phase, table.escrow_account) == (Table.Phase.FINISHED, None)
    assert sorted(Result.objects.values_list("place", "prize_minor")) == [(1, 0), (2, 0), (2, 0)]
    assert not Stake.objects.exists()
    assert Entry.objects.count() == granted > before
