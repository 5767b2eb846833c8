"""Points tables: sitting in, the price of every deal, topping up and getting up (RB 8.1)."""

import pytest
from django.utils import timezone

from players.exceptions import CashWindingDown
from rummy import PROFILES
from tables.exceptions import BadStack, InDeal, StackTooSmall, TopUpConflict
from tables.games.points.idle import WAITING_KEPT
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.seats import seating, stacks
from tables.state import clock
from tables.state.fold import fold_of
from tests.amounts import first
from tests.builders.people.regions import open_region
from tests.builders.tables.deals import drop_out, take_turn
from tests.builders.tables.making import make_player
from tests.builders.tables.playing import deal_at, reread, run_out, seat_at
from tests.builders.tables.points_tables import (
    make_points_game,
    make_points_table,
    next_deal,
    play_deal,
    points_rules,
    sit_in,
    stack_of,
    top_up,
)
from tests.builders.tables.shared import shared
from tests.builders.wallet.players import fund
from wallet.audit.audit import row_findings
from wallet.ledger.models import Transfer
from wallet.ledger.money import as_money
from wallet.stakes.models import StackChange, Stake

pytestmark = pytest.mark.django_db


VECTORS = [
    # Losers' points, value of a point, rake in basis points; gross and rake of RB 8.1.
    ([15, 25, 10, 20, 5], 1_00, 0, (75_00, 0)),
    ([13], 5, 1_200, (65, 7)),
    ([50, 30, 20, 20, 10], 50, 1_000, (65_00, 6_50)),
]


@shared
def points_game_of_two():
    return make_points_game()


@pytest.mark.parametrize(("losses", "value", "bps", "priced"), first(2, VECTORS))
def test_the_deals_of_the_rulebook_are_paid(losses, value, bps, priced):
    brought, (gross, rake) = 100 * value, priced
    table = make_points_game(
        players=len(losses) + 1, stack=brought, point_value_minor=value, rake_bps=bps
    )
    seats = [seat_at(table, position) for position in range(1, len(losses) + 2)]

    play_deal(table, 0, *losses)

    lost = [points * value for points in losses]
    won = {score.seat_id: score.won_minor for score in Score.objects.all()}
    assert [won[seat.pk] for seat in seats] == [gross - rake, *(-loss for loss in lost)]
    held = [stack_of(table, seat) for seat in seats]
    assert held == [brought + gross - rake, *(brought - loss for loss in lost)]
    raked = Transfer.objects.filter(key=f"deal:{table.pk}:1", kind="rake")
    taken = [transfer.entries.get(account__kind="rake").amount_minor for transfer in raked]
    assert taken == ([rake] if rake else [])
    assert reread(table).escrow.balance_minor == sum(held) == len(seats) * brought - rake
    assert StackChange.objects.filter(key=f"deal:{table.pk}:1").count() == len(seats)
    assert row_findings() == ()


def test_a_table_starts_when_two_are_funded_and_holds_what_they_brought():
    table = make_points_table()

    one, two = sit_in(table, 80_00), sit_in(table, 800_00)

    table = reread(table)
    assert (table.phase, table.entry_minor) == (Table.Phase.PLAYING, 80_00)
    assert [stack_of(table, seat) for seat in (one, two)] == [80_00, 800_00]
    assert table.escrow.balance_minor == 880_00
    assert [stake.rake_minor for stake in Stake.objects.all()] == [0, 0]
    assert {seat.number for seat in table.seats.all()} == {1, 2}


def test_a_newcomer_sits_in_at_any_time_and_is_dealt_in_from_the_next_deal(points_game_of_two):
    table = points_game_of_two

    newcomer = sit_in(table, 100_00)

    assert not deal_at(table).deal_seats.filter(seat=newcomer).exists()
    drop_out(table)
    next_deal(table)
    assert deal_at(table).deal_seats.filter(seat=newcomer).exists()
    assert deal_at(table).deal_seats.count() == 3


def test_toss_is_repeated_only_if_the_seats_have_changed(points_game_of_two):
    table = points_game_of_two
    drop_out(table)
    table = next_deal(table)
    assert deal_at(table).toss == ""
    led_before = table.deals.get(no=1).deal_seats.get(position=1).seat
    assert seat_at(table, 2) == led_before

    sit_in(table, 100_00)
    drop_out(table)
    table = next_deal(table)

    tossed = deal_at(table).toss.split()
    assert len(tossed) == 3
    assert sorted(seat.number for seat in table.seats.all()) == [1, 2, 3]
    assert seat_at(table, 1).number == 1
    take_turn(table)  # The cards lie as the stream of this toss and shuffle says.


def test_a_stack_below_the_hold_waits_for_a_top_up_and_then_plays_again():
    table = make_points_game(stack=100_00)
    winner, loser = seat_at(table, 1), seat_at(table, 2)
    play_deal(table, 0, 30)
    loser.refresh_from_db()
    assert loser.sits_out_since is not None

    table = next_deal(table)
    assert table.phase == Table.Phase.WAITING
    with pytest.raises(StackTooSmall):
        stacks.come_back(seat_id=loser.pk)
    top_up(loser, 2, 50_00)

    table = reread(table)
    assert table.phase == Table.Phase.PLAYING
    assert stack_of(table, loser) == 120_00
    assert {place.seat for place in deal_at(table).deal_seats.all()} == {winner, loser}
    loser.refresh_from_db()
    assert loser.sits_out_since is None


@pytest.mark.parametrize("returns", [False, True])
def test_a_seat_that_sits_out_is_kept_for_three_deals_and_then_cashed_out(
    returns, points_game_of_three
):
    """Coming back and sitting out again between the deals keeps it no longer."""
    table = points_game_of_three
    idle = seat_at(table, 3)
    stacks.sit_out(seat_id=idle.pk)
    play_deal(table, 0, 20, 20)
    for missed in (1, 2, 3):
        if returns:
            stacks.come_back(seat_id=idle.pk)
            stacks.sit_out(seat_id=idle.pk)
        table = next_deal(table)
        idle.refresh_from_db()
        assert (idle.deals_missed, idle.left_at) == (missed, None)
        play_deal(table, 0, 20)

    next_deal(table)

    idle.refresh_from_db()
    assert idle.left_at is not None
    assert stack_of(table, idle) == 0
    transfer = Transfer.objects.get(key=f"cashout:{idle.pk}")
    assert transfer.entries.get(account__kind="escrow").amount_minor == -180_00
    assert row_findings() == ()


def test_seat_that_sits_out_at_a_waiting_table_is_released():
    table = make_points_game(stack=200_00)
    idle = seat_at(table, 2)
    stacks.sit_out(seat_id=idle.pk)
    drop_out(table)
    table = next_deal(table)
    assert table.phase == Table.Phase.WAITING
    Seat.objects.filter(pk=idle.pk).update(sits_out_since=timezone.now() - WAITING_KEPT)

    next_deal(table)

    idle.refresh_from_db()
    assert idle.left_at is not None
    assert reread(table).phase == Table.Phase.WAITING
    assert reread(table).due_at is None


def test_players_who_time_out_of_a_deal_sit_out_the_next(points_game_of_three):
    table = points_game_of_three
    absent = seat_at(table, 1)
    others = [seat_at(table, 2), seat_at(table, 3)]
    while fold_of(deal_at(table)).state.seats[0].is_active:
        if fold_of(deal_at(table)).state.to_act == 1:
            run_out(table, seconds=60)
            clock.apply_overdue(table_id=table.pk, now=timezone.now())
        else:
            take_turn(table)

    drop_out(table)

    absent.refresh_from_db()
    assert Score.objects.get(seat=absent).how == Score.How.MIDDLE_DROP
    assert absent.sits_out_since is not None
    table = next_deal(table)
    assert {place.seat for place in deal_at(table).deal_seats.all()} == set(others)


def test_a_top_up_for_money_is_refused_once_cash_is_wound_down(settings):
    open_region("IN-KA")
    settings.CASH_WIND_DOWN = False
    table = make_points_table(currency="INR")
    seats = []
    for _ in range(2):
        player = make_player(country="IN", region="KA")
        fund(player, deposit=500_00)
        seats.append(seating.join(table_id=table.pk, player=player))
    drop_out(table)
    settings.CASH_WIND_DOWN = True

    with pytest.raises(CashWindingDown):
        stacks.top_up(seat_id=seats[0].pk, no=2, amount=as_money(100_00, "INR"))
    for seat in seats:
        seating.leave(seat_id=seat.pk)

    assert Stake.objects.count() == 2
    assert reread(table).escrow.balance_minor == 0


def test_top_ups_are_counted_and_never_exceed_the_largest_stack(points_game_of_three):
    table = points_game_of_three
    seat = seat_at(table, 3)
    with pytest.raises(InDeal):
        top_up(seat, 2, 10_00)
    drop_out(table)
    stack = stack_of(table, seat)

    with pytest.raises(BadStack):
        top_up(seat, 2, 800_01 - stack)
    with pytest.raises(TopUpConflict):
        top_up(seat, 3, 10_00)
    for _ in range(2):
        top_up(seat, 2, 10_00)
    with pytest.raises(TopUpConflict):
        top_up(seat, 2, 11_00)

    assert stack_of(table, seat) == stack + 10_00
    assert Transfer.objects.filter(key__startswith=f"buyin:{seat.pk}:").count() == 2


def test_vengalas_decks_follow_the_seats_dealt_in():
    table = make_points_game(players=5, rules=points_rules(PROFILES["vengala-points"]), seats_max=5)
    drop_out(table)
    seating.leave(seat_id=seat_at(table, 1).pk)
    table = next_deal(table)

    state = fold_of(deal_at(table)).state
    cards = len(state.stock) + len(state.pile) + 1 + sum(len(s.hand) for s in state.seats)
    assert cards == 2 * 54
