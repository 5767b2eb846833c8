"""Players who leave while rejoins are offered or after a rejoin (RB 7.3, 7.6)."""

import pytest

from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.seats import seating
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import (
    NO,
    YES,
    let_time_pass,
    make_pool,
    one_out,
    open_window,
    prizes,
    say,
    score,
    seat_no,
)
from wallet.audit.audit import row_findings
from wallet.stakes.models import Stake

pytestmark = pytest.mark.django_db

OUT = 101


def test_leavers_are_not_asked(pool_of_four):
    table = pool_of_four
    seating.leave(seat_id=seat_no(table, 4).pk)

    table = score(table, 0, 10, OUT, 20)

    assert [answer.seat.number for answer in open_window(table).answers.all()] == [3]


def test_a_survivor_who_leaves_goes_when_the_window_closes_and_rejoins_stand(pool_of_four):
    table = pool_of_four
    score(table, 0, 20, OUT, OUT)
    say(table, 3, YES)

    seating.leave(seat_id=seat_no(table, 1).pk)
    assert reread(table).phase == Table.Phase.REJOIN
    assert Elimination.objects.standing().count() == 1
    say(table, 4, NO)

    table = reread(table)
    assert table.phase == Table.Phase.BETWEEN
    assert Elimination.objects.standing().get(seat=seat_no(table, 1)).total == 0
    assert table.seats.active().count() == 2


def test_a_rejoiner_may_be_the_last_one_left(pool_of_four):
    table = pool_of_four
    score(table, 0, 20, OUT, OUT)
    say(table, 3, YES)
    seating.leave(seat_id=seat_no(table, 1).pk)
    seating.leave(seat_id=seat_no(table, 2).pk)

    let_time_pass(table)

    table = reread(table)
    assert (table.phase, table.ending) == (Table.Phase.FINISHED, "won")
    assert prizes(table) == [0, 0, 450_00, 0]
    assert table.escrow.balance_minor == 0
    assert row_findings() == ()


def test_a_rejoiner_who_leaves_in_the_same_pause_has_lost_both_entries(pool_of_four):
    table = pool_of_four
    score(table, 0, 20, 30, OUT)
    say(table, 4, YES)
    assert reread(table).phase == Table.Phase.BETWEEN

    seating.leave(seat_id=seat_no(table, 4).pk)

    assert Elimination.objects.standing().get().total == 31
    assert Stake.objects.filter(player=seat_no(table, 4).player, status="lost").count() == 2


def test_leaving_instead_of_answering_is_a_no():
    table = one_out()

    seating.leave(seat_id=seat_no(table, 3).pk)

    assert reread(table).phase == Table.Phase.BETWEEN
    assert reread(table).escrow.balance_minor == 300_00


def test_everybody_leaving_while_rejoins_are_asked_pays_the_lowest_before_the_deal():
    table = make_pool(players=3)
    score(table, 20, 0, 40)
    score(table, 20, 50, OUT)

    for number in (1, 2, 3):
        seating.leave(seat_id=seat_no(table, number).pk)

    table = reread(table)
    assert (table.phase, prizes(table)) == (Table.Phase.FINISHED, [0, 270_00, 0])
    assert table.escrow.balance_minor == 0
