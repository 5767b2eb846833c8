"""The console of live tables: phase, whose turn, how late; and what may be done about it."""

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tables.integrity.moderation.live import live_tables
from tables.integrity.moderation.models import Ruling
from tables.models.tables import Table
from tables.play import drains
from tables.seats import seating
from tables.state.rules import rules_of
from tests.builders.staff.people import clerk_who_may
from tests.builders.staff.previews import post_agreed
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


def test_it_tells_whose_turn_it_is():
    table = make_game(players=3)
    move(table, 1, "drop")

    row = listed(table)

    assert row.awaited == [seat_at(table, 2).player.handle]
    assert (row.seated, row.late, row.is_stuck) == (3, None, False)


def test_it_tells_who_has_not_answered():
    table = score(make_pool(players=3), 101, 10, 50)

    row = listed(table)

    out = table.seats.in_seat_order().first().player.handle
    assert reread(table).phase == Table.Phase.REJOIN
    assert row.awaited == [out]


def test_a_clock_that_ran_out_long_ago_is_stuck(game_of_two):
    late, stuck = game_of_two, make_game(players=2)
    run_out(late, seconds=5)
    run_out(stuck, seconds=300)

    rows = listed(late, stuck)

    extra = timedelta(seconds=rules_of(stuck.profile).extra_seconds)
    assert [row.is_stuck for row in rows] == [False, True]
    assert timedelta(seconds=300) <= rows[1].late + extra < timedelta(seconds=360)


def test_a_turn_is_late_once_its_extra_time_is_over_too(game_of_two):
    table = game_of_two
    extra = rules_of(table.profile).extra_seconds

    run_out(table, seconds=extra - 5)
    within = listed(table)
    run_out(table, seconds=extra + 60)
    over = listed(table)

    assert extra > 5
    assert within.late is None
    assert timedelta(seconds=60) <= over.late < timedelta(seconds=100)


def test_a_deal_that_cannot_be_read_is_shown_all_the_same(desk, settings, game_of_two):
    table = game_of_two
    settings.DEAL_KEYS = [Fernet.generate_key().decode()]

    page = desk("view_table").get(URL)

    assert listed(table).awaited == ["?"]
    assert page.status_code == 200


def test_acts_are_offered_to_who_may_rule(desk, game_of_two):
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


@pytest.mark.django_db(transaction=True)
def test_an_act_leads_to_a_form_that_is_filled_in(desk):
    table = make_game(players=2)
    client = desk("view_table", "add_ruling", "view_ruling")
    url = f"{reverse('admin:tables_ruling_add')}?table={table.pk}&kind=cancel"

    form = client.get(url).context["adminform"].form
    post_agreed(client, url, {"table": table.pk, "kind": "cancel", "reason": "Power cut"})

    assert (form.initial["table"], form.initial["kind"]) == (str(table.pk), "cancel")
    assert Ruling.objects.get().reason == "Power cut"
    assert reread(table).phase == Table.Phase.CANCELLED


def test_it_can_be_narrowed_to_what_is_stuck_or_in_a_phase(desk, game_of_two):
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


def test_the_console_shows_a_drain_and_offers_to_start_one(desk):
    assert (
        "Maintenance mode: start no new deals"
        in desk("view_table", "add_drain").get(URL).content.decode()
    )
    drains.begin(by=make_player(is_staff=True), reason="New version")

    page = desk("view_table", "add_drain").get(URL).content.decode()

    assert "New version" in page
    assert "Maintenance mode: start no new deals" not in page


def test_it_is_closed_to_staff_who_may_not_look_at_tables(desk):
    assert desk("view_dispute").get(URL).status_code == 403


def test_a_table_without_cards_costs_no_query_of_its_own(desk):
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


def test_it_marks_the_tables_that_hold_money(desk):
    points, money = make_table(), make_table(currency="INR")

    assert [row.holds_cash for row in listed(points, money)] == [False, True]
