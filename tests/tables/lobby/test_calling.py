"""Players get a notification if it is their turn and none of their pages shows the table."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.conf import settings as configured
from django.utils import timezone

from players.notifications.models import Notification
from players.sign_in.devices.models import PushSubscription
from tables.lobby import calling
from tables.seats import open_sockets
from tests.builders.people.push_service import PUSH_KEY, ABrowser
from tests.builders.tables.deals import take_turn
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import reread, seat_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(settings):
    settings.PUSH_PRIVATE_KEY, settings.PUSH_CONTACT = PUSH_KEY, "mailto:operator@example.com"
    table = make_game(players=2)
    for position in (1, 2):
        give_device(seat_at(table, position).player)
    return table


def give_device(player):
    session = import_module(configured.SESSION_ENGINE).SessionStore()
    session.create()
    PushSubscription.objects.create(
        player=player,
        endpoint=f"https://push.example.com/{player.pk}",
        **ABrowser("").keys,
        session_key=session.session_key,
        created_at=timezone.now(),
    )


def call(table):
    """Look after the patience of a page that loads, and long after the game has started."""
    table = reread(table)
    type(table).objects.filter(pk=table.pk).update(started_at=timezone.now() - timedelta(minutes=5))
    calling.call_away_players(table.armed_at + timedelta(seconds=4))


def called():
    rows = Notification.objects.filter(kind=Notification.Kind.YOUR_TURN)
    return list(rows.order_by("pk").values_list("player__handle", flat=True))


def test_each_turn_is_notified_once(table):
    first, second = (seat_at(table, position).player for position in (1, 2))

    call(table)
    call(table)
    assert called() == [first.handle]

    take_turn(table)
    call(table)

    assert called() == [first.handle, second.handle]


def test_player_with_the_table_open_is_not_notified(table):
    first = seat_at(table, 1).player
    place, now = (table.pk, first.pk), reread(table).armed_at
    open_sockets.note({"a": place, "b": place}, {}, now=now)
    open_sockets.note({}, {"a": place}, now=now)

    call(table)
    assert called() == []
    assert open_sockets.away([place], now=now) == set()
    assert open_sockets.away([place], now=now + timedelta(seconds=91)) == {place}

    open_sockets.note({}, {"b": place}, now=now)
    call(table)
    assert called() == [first.handle]


def test_start_is_notified_once_to_absent_players(table):
    now = reread(table).armed_at + timedelta(seconds=4)

    for _again in range(2):
        calling.call_away_players(now)

    starts = Notification.objects.filter(kind=Notification.Kind.TABLE_STARTS)
    assert starts.count() == 2
    assert set(starts.values_list("about", flat=True)) == {table.public_id}


def test_only_players_with_devices_are_checked_and_after_a_grace_time(table, settings):
    armed_at = reread(table).armed_at
    assert calling.call_away_players(armed_at + timedelta(seconds=2)) == 0
    now = armed_at + timedelta(seconds=4)
    PushSubscription.objects.filter(player=seat_at(table, 2).player).delete()
    assert calling.call_away_players(now) == 1

    settings.PUSH_PRIVATE_KEY = ""
    assert calling.call_away_players(now) == 0
