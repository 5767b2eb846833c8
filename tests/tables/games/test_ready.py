"""The gap between two deals ends when every person in the game is ready."""

import pytest
from rest_framework.test import APIClient

from tables.bots import bots
from tables.models.tables import Table
from tables.play import answering
from tables.seats import seating
from tables.view.table_view import table_view
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_rules, make_table
from tests.builders.tables.playing import reread
from tests.builders.tables.pools import make_pool, make_rich_player, score, seat_no

pytestmark = pytest.mark.django_db


def ready(table, number):
    answering.be_ready(seat_id=seat_no(table, number).pk)
    return reread(table)


def line(table, number, viewer=None):
    view = table_view(reread(table), viewer or seat_no(table, number).player)
    mine = next(seat for seat in view.seats if seat.number == number)
    return mine.is_ready, view.me.may_be_ready


def test_the_next_deal_comes_when_the_last_person_is_ready():
    table = score(make_pool(players=3), 0, 20, 30)
    assert (table.phase, table.deal_no) == (Table.Phase.BETWEEN, 1)
    assert line(table, 1) == (False, True)

    table = ready(table, 1)
    table = ready(table, 2)
    version = table.version
    assert (table.phase, line(table, 1), line(table, 3)) == (
        "between",
        (True, False),
        (False, True),
    )
    assert ready(table, 2).version == version  # The same again changes nothing.
    table = ready(table, 3)

    assert (table.phase, table.deal_no) == (Table.Phase.PLAYING, 2)
    view = table_view(table, seat_no(table, 1).player)
    assert [seat.is_ready for seat in view.seats] == [False] * 3
    table = score(table, 0, 40, 60)  # Being ready was for that deal alone.
    assert line(table, 1) == (False, True)


def test_players_who_are_out_are_not_awaited_and_bots_are_ready_at_once():
    table = score(make_pool(players=3, rules=make_rules(gap_seconds=60, rejoin=False)), 0, 20, 101)
    ready(table, 1)
    ready(table, 3)  # This seat is out, so it does not count.
    assert reread(table).phase == Table.Phase.BETWEEN
    assert not line(table, 3)[1]
    assert ready(table, 2).phase == Table.Phase.PLAYING

    table = make_table(rules=make_rules(gap_seconds=60), bots_fill=True)
    person = make_rich_player(500_00)
    for player in (person, *bots.bots_for(table, 1)):
        seating.join(table_id=table.pk, player=player)
    drop_out(table)
    mine = reread(table).seats.get(player=person)
    assert {seat.is_ready for seat in table_view(reread(table), person).seats} == {True, False}
    assert ready(table, mine.number).phase == Table.Phase.PLAYING


def test_rules_may_keep_the_gap_whole_and_a_press_that_comes_late_does_nothing():
    table = score(make_pool(players=2, rules=make_rules(gap_seconds=60, gap_ready=False)), 0, 20)
    assert line(table, 1) == (False, False)
    ready(table, 1)
    assert ready(table, 2).phase == Table.Phase.BETWEEN

    playing = make_pool(players=2)
    assert ready(playing, 1).version == playing.version


def test_the_api_marks_a_seated_player_as_ready_and_no_other():
    table = score(make_pool(players=2), 0, 20)
    address = f"/api/v1/tables/{table.public_id}/ready/"
    client = APIClient()
    client.force_authenticate(seat_no(table, 1).player)

    answer = client.post(address)
    assert (answer.status_code, answer.json()["me"]["may_be_ready"]) == (200, False)
    client.force_authenticate(make_rich_player(1_00))
    assert client.post(address).status_code == 404
