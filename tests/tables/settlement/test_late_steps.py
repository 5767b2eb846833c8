"""Steps that a worker takes late, after more has happened at the table: no game is stuck.

`tests/model` found these orders of events.
"""

from datetime import timedelta

import pytest

from tables.exceptions import TableNotWaiting
from tables.integrity.moderation import rulings
from tables.models.deals import Deal
from tables.models.tables import Table
from tables.seats import seating
from tables.settlement import scoring
from tables.state.phases import SETTLE_PATIENCE_SECONDS
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import deal_at, move, reread
from tests.builders.tables.pools import let_time_pass, make_pool, make_rich_player, prizes, score
from tests.builders.tables.soundness import assert_over_and_sound, assert_sound_money
from wallet.stakes.models import Stake

pytestmark = [pytest.mark.django_db, pytest.mark.no_settlement_worker]


def cancel(table):
    staff = make_player(is_staff=True)
    return rulings.cancel_game(table_id=table.pk, by=staff, reason="Power cut")


def everybody_leaves(table):
    for seat in table.seats.present():
        seating.leave(seat_id=seat.pk)


def void(table):
    staff = make_player(is_staff=True)
    rulings.void_deal(deal_id=deal_at(table).pk, by=staff, reason="A card was visible")
    scoring.settle_table(table_id=table.pk)
    return reread(table)


def test_game_cancelled_in_a_pause_is_shared_by_those_who_were_in_it_when_staff_ruled():
    table = score(make_pool(players=3), 0, 20, 40)
    gone, *_ = table.seats.in_seat_order()
    cancel(table)
    everybody_leaves(table)

    scoring.settle_table(table_id=table.pk)

    assert reread(table).phase == Table.Phase.CANCELLED
    assert_sound_money(table)
    shares = Stake.objects.filter(player=gone.player_id, escrow=table.escrow)
    assert [stake.status for stake in shares] == [Stake.Status.REFUNDED]


def test_pool_that_everybody_leaves_after_a_void_first_deal_is_refunded():
    table = void(make_pool(players=2))
    everybody_leaves(table)

    scoring.settle_table(table_id=table.pk)

    assert reread(table).phase == Table.Phase.CANCELLED
    assert_over_and_sound(reread(table))


def test_pool_that_everybody_leaves_after_a_void_deal_is_won_by_the_lowest_total_before():
    table = score(make_pool(players=3), 0, 20, 40)
    table = let_time_pass(score(table, 60, 30, 70))
    move(table, 1, "ds")
    table = void(table)
    everybody_leaves(table)

    scoring.settle_table(table_id=table.pk)

    assert prizes(table) == [0, 270_00, 0]


def test_waiting_table_that_staff_cancelled_takes_no_more_players():
    table = make_table(seats_min=2, seats_max=2)
    seating.join(table_id=table.pk, player=make_player())
    cancel(table)

    with pytest.raises(TableNotWaiting):
        seating.join(table_id=table.pk, player=make_rich_player(10 * table.entry_minor))

    scoring.settle_table(table_id=table.pk)
    assert reread(table).phase == Table.Phase.CANCELLED
    assert not Deal.objects.filter(table=table, status=Deal.Status.PLAYING).exists()
    assert_sound_money(table)


def test_waiting_table_that_staff_cancelled_keeps_its_clock_when_a_player_leaves():
    table = make_table(rules=make_rules(start_seconds=60), seats_min=2, seats_max=3)
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    cancel(table)

    everybody_leaves(table)  # If the message to the worker was lost, the sweep sends another.

    waiting = reread(table)
    assert waiting.due_at - waiting.armed_at == timedelta(seconds=SETTLE_PATIENCE_SECONDS)
    scoring.settle_table(table_id=table.pk)
    assert reread(table).phase == Table.Phase.CANCELLED
    assert_sound_money(table)
