"""The staff page of live tables: phase, player on turn, delay and actions."""

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tables.exceptions import AlreadyDraining, MaintenanceMode
from tables.integrity.moderation.live import live_tables
from tables.models.tables import Drain, Table
from tables.play import drains
from tables.seats import seating, stacks
from tables.settlement import scoring
from tables.state import clock
from tables.state.rules import rules_of
from tests.builders.staff.people import clerk_who_may
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, move, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal
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


def begin():
    return drains.begin(by=make_player(is_staff=True), reason="New version")


def tick(table):
    run_out(table)
    clock.apply_overdue(table_id=table.pk, now=timezone.now())
    return reread(table)


@pytest.mark.parametrize("gap_seconds", [0, 10])
def test_deal_in_progress_ends_and_none_follows_until_the_drain_is_lifted(gap_seconds):
    table = make_game(players=2, rules=make_rules(gap_seconds=gap_seconds))
    drain = begin()

    move(table, 1, "drop")
    scoring.settle_deal(deal_id=deal_at(table).pk)
    table = reread(table)
    assert (table.phase, table.deal_no) == (Table.Phase.BETWEEN, 1)
    assert tick(table).deal_no == 1
    assert tick(table).due_at is not None
    drains.lift(drain=drain, by=make_player(is_staff=True))
    drains.lift(drain=drain, by=make_player(is_staff=True))

    table = tick(table)
    assert (table.phase, table.deal_no) == (Table.Phase.PLAYING, 2)


def test_during_a_drain_no_player_sits_down_and_no_game_starts():
    table = make_table(seats_max=3, rules=make_rules(start_seconds=10))
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    begin()

    with pytest.raises(MaintenanceMode):
        seating.join(table_id=table.pk, player=make_player())

    assert tick(table).phase == Table.Phase.WAITING


def test_full_points_table_waits_for_the_end_of_the_drain():
    table = make_points_game(seats_max=2)
    resting = seat_at(table, 2)
    stacks.sit_out(seat_id=resting.pk)
    play_deal(table, 0, 20)
    assert next_deal(table).phase == Table.Phase.WAITING
    drain = begin()

    stacks.come_back(seat_id=resting.pk)
    assert (tick(table).phase, reread(table).deal_no) == (Table.Phase.WAITING, 1)
    drains.lift(drain=drain, by=make_player(is_staff=True))

    assert (tick(table).phase, reread(table).deal_no) == (Table.Phase.PLAYING, 2)


@pytest.mark.django_db(transaction=True)
def test_concurrent_requests_begin_one_drain():
    answers = at_once([begin, begin])

    assert sum(isinstance(answer, AlreadyDraining) for answer in answers) == 1
    assert Drain.objects.on().count() == 1


def test_lobby_and_admin_show_maintenance_mode(client):
    staff = make_player(is_staff=True, is_superuser=True)
    client.force_login(staff)
    live, offered = "/admin/tables/table/live/", "Maintenance mode: start no new deals"
    assert offered in client.get(live).text
    client.post(reverse("admin:tables_drain_add"), {"reason": "New version"})
    assert "Maintenance: deals in progress" in client.get(reverse("lobby")).text

    console = client.get(live).text
    assert "New version" in console
    assert offered not in console
    drain = Drain.objects.get()
    client.post(
        reverse("admin:tables_drain_changelist"), {"action": "lift", "_selected_action": [drain.pk]}
    )

    assert not drains.is_on()
    assert "Maintenance: deals in progress" not in client.get(reverse("lobby")).text
