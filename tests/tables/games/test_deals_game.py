"""Best of two, three and six deals: chips, extra deals among the tied, the prize (RB 6, 8.2)."""

import random
from random import Random

import pytest
from django.db.models import Sum

from rummy.notation.states import changed
from tables.games.deals.game import chips_of
from tables.models.seats import Score
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement.game_record import record_of
from tables.settlement.models import Result, Window
from tables.state import fold as state
from tables.state.fold import Fold, fold_of
from tables.view.table_view import table_view
from tests.builders.tables.crowd import People
from tests.builders.tables.deals import best_of, give_up, settle, take_turn
from tests.builders.tables.making import make_game, make_rules
from tests.builders.tables.playing import deal_at, move, reread, seat_at
from tests.builders.tables.points_tables import WILD, hand_worth, play_deal
from tests.builders.tables.pools import OUT, make_pool, prizes, score
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
def two_deals():
    return make_game(players=3, rules=best_of(6, deals=2))


def chips(table):
    return chips_of(record_of(reread(table)))


def test_losers_points_pass_as_chips_to_the_winner_of_the_deal(best_of_six):
    table = best_of_six
    first, second, third = (seat_at(table, position) for position in (1, 2, 3))

    let_the_third_win(table)

    assert chips(table) == {first.pk: 460, second.pk: 460, third.pk: 520}
    score = Score.objects.get(seat=third)
    assert (score.points, score.chips_after, score.won_minor) == (0, 520, None)
    view = table_view(reread(table), third.player)
    assert (view.phase, view.game, view.deals, view.drops_allowed) == ("playing", "deals", 6, True)
    assert sorted(line.chips for line in view.seats) == [460, 460, 520]
    assert {row.chips for row in view.last_deal.rows} == {460, 520}
    assert all(line.stack is None for line in view.seats)


@pytest.mark.parametrize("number", [2, 3])
def test_the_third_miss_costs_the_cap_where_drops_are_off(number):
    table = make_game(players=2, rules=best_of(number))
    loser, winner = seat_at(table, 1), seat_at(table, 2)

    give_up(table, 1)
    settle(table)

    start = 80 * number
    assert chips(table) == {loser.pk: start - 80, winner.pk: start + 80}
    assert Score.objects.get(seat=loser).points == 80


@pytest.mark.parametrize(("stake_mode", "prize"), [("cash", 270_00), ("chips", 0)])
def test_most_chips_after_the_last_deal_take_the_prize(stake_mode, prize):
    """At a table for the chips of a tournament no money moves."""
    fields = {} if stake_mode == "cash" else {"stake_mode": "chips", "entry_minor": 0}
    table = make_game(players=3, rules=best_of(6, deals=1), **fields)
    third, before = seat_at(table, 3), Entry.objects.count()

    let_the_third_win(table)

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "won")
    places = Result.objects.filter(table=table).values_list("place", "prize_minor")
    assert sorted(places) == [(1, prize), (2, 0), (2, 0)]
    assert Result.objects.get(seat=third).place == 1
    if stake_mode == "cash":
        assert table.escrow.balance_minor == 0
        assert row_findings() == ()
    else:
        assert (table.escrow_account, Stake.objects.exists()) == (None, False)
        assert Entry.objects.count() == before


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


@shared
def pool_that_splits_from_40():
    return make_pool(players=4, rules=make_rules(gap_seconds=60, auto_split_from=40))


@shared
def pool_of_mild_losses():
    mild = {"least_loss": 4, "half_without_turn": True, "absent_pays_lower": True}
    misses = {"misses_allowed": 1, "misses_allowed_for_two": 2}
    return make_pool(players=2, rules=make_rules(gap_seconds=60, **mild, **misses))


def hold(table, position, points):
    """Let this position hold a hand that costs exactly so much."""
    fold = fold_of(deal_at(table))
    seats = list(fold.state.seats)
    seats[position - 1] = changed(seats[position - 1], hand=hand_worth(points))
    held = changed(fold.state, seats=tuple(seats), wild=WILD)
    state.memo.put(Fold(fold.deal_pk, fold.ply, fold.move_pk, held, fold.head))


def miss(table):
    People(reread(table), Random(0)).wait()


def test_pool_splits_automatically_once_all_survivors_have_the_total(pool_that_splits_from_40):
    table = score(pool_that_splits_from_40, 40, 60, OUT, OUT)

    # One drop more is one net entry of 90.00; the rest of 270.00 is shared in equal parts.
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "auto_split")
    assert prizes(table) == [225_00, 135_00, 0, 0]
    places = Result.objects.order_by("seat__number").values_list("place", flat=True)
    assert list(places) == [1, 2, 3, 3]
    assert not Window.objects.exists()
    assert table.escrow.balance_minor == 0
    assert not Stake.objects.in_escrow().exists()
    assert row_findings() == ()


def booked(table, position):
    """The points of the settled deal in a position's score, and how they came about."""
    mine = deal_at(table).scores.get(seat=seat_at(table, position))
    return mine.points, mine.how


@pytest.mark.parametrize(("hand", "points"), [(25, 12), (6, 4)])
def test_a_loser_without_a_turn_is_booked_at_half_and_never_below_the_least(
    hand, points, pool_of_mild_losses
):
    table = pool_of_mild_losses

    play_deal(table, 0, hand)

    assert booked(table, 1) == (0, "won")
    assert booked(table, 2) == (points, "lost")


def test_the_half_price_is_known_until_the_first_turn_is_taken_or_missed(pool_of_mild_losses):
    table = pool_of_mild_losses
    assert [pays_half(table, position) for position in (1, 2)] == [True, True]

    miss(table)
    assert [pays_half(table, position) for position in (1, 2)] == [False, True]
    take_turn(table)
    assert [pays_half(table, position) for position in (1, 2)] == [False, False]
    assert table_view(table, None).group_rules.least_loss == 4


def pays_half(table, position):
    return table_view(reread(table), seat_at(table, position).player).me.pays_half


@pytest.mark.parametrize(("hand", "points"), [(25, 25), (60, 40)])
def test_the_second_of_two_misses_is_booked_at_the_lower_of_drop_and_hand(
    hand, points, pool_of_mild_losses
):
    table = pool_of_mild_losses
    hold(table, 1, hand)

    miss(table)
    assert reread(table).phase == Table.Phase.PLAYING
    assert table_view(reread(table), seat_at(table, 1).player).me.misses_left == 1
    take_turn(table)
    miss(table)
    settle(table)

    assert booked(table, 1) == (points, "middle_drop")
    assert booked(table, 2) == (0, "won")
