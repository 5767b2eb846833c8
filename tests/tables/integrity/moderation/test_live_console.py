"""The staff page of live tables: phase, player on turn, delay and actions."""

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tables.integrity.moderation.live import live_tables
from tables.models.tables import Table
from tables.seats import seating
from tables.state.rules import rules_of
from tests.builders.staff.people import clerk_who_may
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import deal_at, move, reread, run_out, seat_at
from tests.builders.tables.pools import make_pool, score

pytestmark = pytest.mark.django_db
URL = "/admin/tables/table/live/"


@pytest.fixture
def desk(client):
    """Sign in as staff with these permissions, and return the client."""

    def sign_in(*codenames):
        client.force_login(clerk_who_may(*codenames))
        return client

    return sign_in


def listed(*tables):
    rows = live_tables([reread(table) for table in tables], timezone.now())
    return rows[0] if len(rows) == 1 else rows


def test_row_shows_awaited_players_and_whether_the_table_holds_money():
    playing = make_game(players=3)
    move(playing, 1, "drop")
    rejoining = score(make_pool(players=3), 101, 10, 50)
    cash = make_table(currency="INR")
    assert reread(rejoining).phase == Table.Phase.REJOIN

    rows = listed(playing, rejoining, cash)

    out = rejoining.seats.in_seat_order().first().player.handle
    assert [row.awaited for row in rows] == [[seat_at(playing, 2).player.handle], [out], []]
    assert (rows[0].seated, rows[0].late, rows[0].is_stuck) == (3, None, False)
    assert [row.holds_cash for row in rows] == [False, False, True]


def test_turn_is_late_after_its_extra_time_and_stuck_two_minutes_later(game_of_two):
    table, stuck = game_of_two, make_game(players=2)
    extra = rules_of(table.profile).extra_seconds
    assert extra > 5

    run_out(stuck, seconds=extra + 300)
    run_out(table, seconds=extra - 5)
    within, long_over = listed(table, stuck)
    run_out(table, seconds=extra + 60)
    over = listed(table)

    assert (within.late, within.is_stuck) == (None, False)
    assert timedelta(seconds=60) <= over.late < timedelta(seconds=100)
    assert (over.is_stuck, long_over.is_stuck) == (False, True)
    assert timedelta(seconds=300) <= long_over.late < timedelta(seconds=360)


def test_unreadable_deal_is_listed(desk, settings, game_of_two):
    table = game_of_two
    settings.DEAL_KEYS = [Fernet.generate_key().decode()]

    page = desk("view_table").get(URL)

    assert listed(table).awaited == ["?"]
    assert page.status_code == 200


def test_rulings_are_offered_only_with_the_permission(desk, game_of_two):
    table = game_of_two
    waiting = make_table()

    looking = desk("view_table").get(URL).content.decode()
    ruling = desk("view_table", "add_ruling").get(URL).content.decode()

    assert str(table) in looking
    assert "Cancel the game" not in looking
    cancel = f"?table={waiting.pk}&amp;kind=cancel"
    assert cancel in ruling
    assert f"?table={waiting.pk}&amp;deal=" not in ruling
    assert f"?table={table.pk}&amp;deal={deal_at(table).pk}&amp;kind=void" in ruling


def test_console_is_filtered_by_stuck_tables_and_phase(desk, game_of_two):
    playing, waiting = game_of_two, make_table()
    stuck = run_out(make_game(players=2), seconds=500)
    client = desk("view_table")

    def listed(query):
        return {row.table for row, _ in client.get(URL + query).context["rows"]}

    assert listed("") == {playing, waiting, stuck}
    assert listed("?stuck=1") == {stuck}
    assert listed("?phase=waiting") == {waiting}
    assert listed("?phase=nonsense") == set()
    assert client.get(URL + "?phase=%00").status_code == 400


def test_console_needs_the_permission_to_view_tables(desk):
    assert desk("view_dispute").get(URL).status_code == 403


def test_number_of_queries_does_not_grow_with_waiting_tables(desk):
    client = desk("view_table")
    make_table()
    client.get(URL)  # What is remembered from the first request on is remembered now.

    def queries():
        with CaptureQueriesContext(connection) as asked:
            client.get(URL)
        return len(asked)

    few = queries()
    for _ in range(3):
        seating.join(table_id=make_table(seats_max=3).pk, player=make_player())

    assert queries() == few
