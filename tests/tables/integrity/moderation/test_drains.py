"""During maintenance no deal begins, deals in progress are finished, and no money is lost."""

import pytest
from django.urls import reverse
from django.utils import timezone

from tables.exceptions import AlreadyDraining, MaintenanceMode
from tables.models.tables import Drain, Table
from tables.play import drains
from tables.seats import seating, stacks
from tables.settlement import scoring
from tables.state import clock
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import at_once, deal_at, move, reread, run_out, seat_at
from tests.builders.tables.points_tables import make_points_game, next_deal, play_deal

pytestmark = pytest.mark.django_db


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
        reverse("admin:tables_drain_changelist"),
        {"action": "lift", "_selected_action": [drain.pk]},
    )

    assert not drains.is_on()
    assert "Maintenance: deals in progress" not in client.get(reverse("lobby")).text
