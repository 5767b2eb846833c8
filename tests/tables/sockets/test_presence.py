"""Open sockets make players present at waiting tables, and spectators counted."""

import asyncio
import json
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError
from django.utils import timezone

from tables.models.seats import Seat
from tables.seats import open_sockets, presence, seating
from tables.sockets import attendance, broadcaster
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.sockets import connect, draw, game_of_two, next_view

pytestmark = pytest.mark.django_db(transaction=True)


def seats_at_a_waiting_table(count):
    table = make_table(rules=make_rules(start_seconds=60), seats_max=6)
    return [seating.join(table_id=table.pk, player=make_player()) for _ in range(count)]


def place_of(seat):
    return seat.table_id, seat.player_id


async def until_away(places):
    """Wait until exactly these are away of all places."""
    away = sync_to_async(open_sockets.away)
    while await away(places[0], now=timezone.now()) != places[1]:
        await asyncio.sleep(0.01)


async def test_players_are_present_until_their_last_socket_closes():
    seats = await sync_to_async(seats_at_a_waiting_table)(3)
    places = [place_of(seat) for seat in seats]
    watched = [*seats, seats[0]]
    async with asyncio.timeout(30):
        sockets = await asyncio.gather(
            *(connect(seat.table.public_id, viewer=seat.player) for seat in watched)
        )
        await until_away((places, set()))

        await asyncio.gather(*(socket.hang_up() for socket in sockets[:3]))
        await until_away((places, set(places[1:])))

        await sockets[3].hang_up()
        await until_away((places, set(places)))


async def test_presence_is_renewed_again_and_again_even_after_a_lost_connection(monkeypatch):
    monkeypatch.setattr(attendance, "RENEWED_SECONDS", 0.1)
    (seat,) = await sync_to_async(seats_at_a_waiting_table)(1)
    note_all, failures = presence.note_all, iter([InterfaceError("connection already closed")])

    def fail_once(*arguments):
        for failure in failures:
            raise failure
        note_all(*arguments)

    monkeypatch.setattr(presence, "note_all", fail_once)
    socket = await connect(seat.table.public_id, viewer=seat.player)
    await next_view(socket)
    long_ago = timezone.now() - timedelta(minutes=6)

    async with asyncio.timeout(30):
        for _again in range(2):
            await Seat.objects.filter(pk=seat.pk).aupdate(seen_at=long_ago)
            while (await Seat.objects.aget(pk=seat.pk)).seen_at == long_ago:
                await asyncio.sleep(0.01)
    await socket.hang_up()


async def test_a_spectator_without_an_account_has_no_place():
    (seat,) = await sync_to_async(seats_at_a_waiting_table)(1)
    socket = await connect(seat.table.public_id)
    await next_view(socket)

    assert await sync_to_async(open_sockets.away)([place_of(seat)], now=timezone.now())
    await socket.hang_up()


def test_presence_is_written_only_for_waiting_seats_not_seen_lately():
    waiting, seen, playing, left = (seats_at_a_waiting_table(1)[0] for _ in range(4))
    now = timezone.now()
    long_ago = now - timedelta(minutes=6)
    Seat.objects.exclude(pk=seen.pk).update(seen_at=long_ago)
    type(playing.table).objects.filter(pk=playing.table_id).update(phase="playing")
    Seat.objects.filter(pk=left.pk).update(left_at=now)
    strangers = [(waiting.table_id, seen.player_id), (seen.table_id, waiting.player_id)]
    seats = [waiting, seen, playing, left]

    presence.note_all([*map(place_of, seats), *strangers], now)

    written = Seat.objects.filter(seen_at=now).values_list("pk", flat=True)
    assert list(written) == [waiting.pk]


async def test_spectators_are_counted_and_share_one_view_of_each_change(monkeypatch):
    rendered = []

    def counted(view):
        rendered.append(view.me is None)
        return _sent(view)

    _sent = broadcaster._sent
    monkeypatch.setattr(broadcaster, "_sent", counted)
    table, seat, _ = await game_of_two()
    stranger = await sync_to_async(make_player)()
    spectators = [await connect(table.public_id) for _ in range(30)]
    spectators.append(await connect(table.public_id, stranger))
    sockets = [*spectators, await connect(table.public_id, seat.player)]
    for socket in sockets:
        await next_view(socket)
    rendered.clear()

    await sync_to_async(draw)(seat, table.version)
    texts = {json.dumps(await next_view(socket)) for socket in sockets}

    assert sorted(rendered) == [False, True], "31 spectators are sent one rendered view"
    assert len(texts) == 2
    assert await watchers_become(table, 31)
    for socket in sockets[:21]:
        await socket.hang_up()
    assert await watchers_become(table, 10)
    for socket in sockets[21:]:
        await socket.hang_up()
    assert await watchers_become(table, 0)


async def watchers_become(table, number):
    """Wait until Redis counts so many spectators of the table."""
    for _ in range(100):
        counts = await sync_to_async(open_sockets.watchers)([table.pk], now=timezone.now())
        if counts == {table.pk: number}:
            return True
        await asyncio.sleep(0.1)
    return False
