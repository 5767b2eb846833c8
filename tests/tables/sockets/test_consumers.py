"""The tables' sockets: a view on connecting, after each change, and when asked to."""

import asyncio
import json
from types import SimpleNamespace
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from django.db import InterfaceError, OperationalError

from core.db.statements import execute_pipeline
from players.sign_in import sessions
from tables.seats import seating
from tables.sockets import broadcaster, socket_limits
from tables.sockets.urls import websocket_urlpatterns
from tables.state import publishing as announcing
from tables.state.fold import fold_of
from tests.builders.people.sessions import change_password
from tests.builders.tables.making import make_player, make_rules, make_table
from tests.builders.tables.playing import hand_of
from tests.builders.tables.pools import score
from tests.builders.tables.sockets import Socket, connect, draw, game_of_two, log_in, next_view
from tests.builders.tables.views import cards_in, open_cards

pytestmark = pytest.mark.django_db(transaction=True)

IDLE_SECONDS = 13


async def test_simultaneous_sockets_are_read_together_and_each_is_its_own_viewers(monkeypatch):
    trips = []

    def counted(*asked):
        trips.append(len(asked))
        return execute_pipeline(*asked)

    table, *seats = await game_of_two()
    clients = [await sync_to_async(log_in)(seat.player) for seat in seats]
    monkeypatch.setattr(sessions, "execute_pipeline", counted)
    signed_in = (connect(table.public_id, client=client) for client in clients * 3)
    sockets = await asyncio.gather(*signed_in, connect(table.public_id))

    views = [await next_view(socket) for socket in sockets]

    assert sum(trips) == 6  # The spectator has no session.
    assert len(trips) < 6
    assert [view["me"] and view["me"]["position"] for view in views] == [1, 2] * 3 + [None]
    for socket in sockets:
        await socket.hang_up()


async def test_every_viewer_is_sent_their_own_view_of_each_change():
    table, first, second = await game_of_two()
    sockets = {
        "first": await connect(table.public_id, first.player),
        "second": await connect(table.public_id, second.player),
        "stranger": await connect(table.public_id, await sync_to_async(make_player)()),
    }
    before = {name: await next_view(socket) for name, socket in sockets.items()}
    assert {view["version"] for view in before.values()} == {table.version}

    await sync_to_async(draw)(first, table.version)
    after = {name: await next_view(socket) for name, socket in sockets.items()}

    assert {view["version"] for view in after.values()} == {table.version + 1}
    deal = await table.deals.aget(no=1)
    state = (await sync_to_async(fold_of)(deal)).state
    public = open_cards(state) | set(deal.toss.split())
    hands = [set(await sync_to_async(hand_of)(table, position)) for position in (1, 2)]
    assert set(after["first"]["me"]["hand"]) == hands[0]
    assert cards_in(after["first"]) <= public | hands[0]
    assert cards_in(after["second"]) <= public | hands[1]
    assert cards_in(after["stranger"]) <= public
    assert after["stranger"]["me"] is None
    for socket in sockets.values():
        await socket.hang_up()


async def test_resync_sends_the_view_and_other_messages_are_refused(monkeypatch):
    monkeypatch.setattr(socket_limits, "MESSAGES_AT_ONCE", 60.0)
    table, *_ = await game_of_two()
    socket = await connect(table.public_id)
    before = await next_view(socket)

    await socket.say('{"type": "resync"}')
    again = await next_view(socket)
    too_long = json.dumps({"type": "resync", "padding": "x" * 256})
    for nonsense in ("{", "[]", '{"type": "move"}', too_long, "[" * 256, "[" * 100_000):
        await socket.say(nonsense)
        assert await socket.receive() == {"type": "error", "code": "unknown_message"}

    assert again["version"] == before["version"]
    await socket.hang_up()


def log_out(client, player):
    client.logout()


def deactivate(client, player):
    type(player).objects.filter(pk=player.pk).update(is_active=False)


@pytest.mark.parametrize(
    ("end_session", "asked"),
    [(log_out, True), (log_out, False), (deactivate, False), (change_password, False)],
)
async def test_socket_is_closed_when_its_session_ends(end_session, asked):
    table, first, second = await game_of_two()
    client = await sync_to_async(log_in)(second.player)
    socket = await connect(table.public_id, client=client)
    assert (await next_view(socket))["me"] is not None

    await sync_to_async(end_session)(client, second.player)
    if asked:
        await socket.say('{"type": "resync"}')
    else:
        await sync_to_async(draw)(first, table.version)

    assert await socket.receive() == {"type": "error", "code": "session_over"}
    answer = await socket.receive_output(timeout=30)
    assert (answer["type"], answer["code"]) == ("websocket.close", 4401)
    assert await socket.receive_nothing()


async def test_a_socket_is_closed_after_a_sign_out_though_nothing_happens_at_its_table(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.05)
    table, first, second = await game_of_two()
    clients = [await sync_to_async(log_in)(seat.player) for seat in (first, second)]
    leaving, staying = [await connect(table.public_id, client=client) for client in clients]
    spectator = await connect(table.public_id)
    for socket in (leaving, staying, spectator):
        await next_view(socket)

    await sync_to_async(clients[0].logout)()

    assert await leaving.receive() == {"type": "error", "code": "session_over"}
    assert (await leaving.receive_output(timeout=30))["code"] == 4401
    for socket in (staying, spectator):
        assert await socket.receive_nothing(timeout=0.2)
        await socket.hang_up()


async def test_sessions_are_checked_again_after_a_database_error(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.05)
    table, seat, _ = await game_of_two()
    client = await sync_to_async(log_in)(seat.player)
    socket = await connect(table.public_id, client=client)
    await next_view(socket)
    versions, failed = broadcaster._VERSIONS, asyncio.Event()

    def fail_once(tables):
        if failed.is_set():
            return versions.rows(tables)
        failed.set()
        raise InterfaceError("connection already closed")

    monkeypatch.setattr(broadcaster, "_VERSIONS", SimpleNamespace(rows=fail_once))
    async with asyncio.timeout(30):
        while not failed.is_set():
            await asyncio.sleep(0.01)
    await sync_to_async(client.logout)()

    assert await socket.receive() == {"type": "error", "code": "session_over"}


async def test_a_change_without_a_message_is_shown_after_a_while(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.05)
    monkeypatch.setattr(announcing, "broadcast_change", lambda *_: None)
    table, first, second = await game_of_two()
    socket = await connect(table.public_id, second.player)
    before = await next_view(socket)

    await sync_to_async(draw)(first, before["version"])

    assert (await next_view(socket))["version"] == before["version"] + 1
    assert await socket.receive_nothing(timeout=0.5)
    await socket.hang_up()


async def test_socket_is_closed_with_unavailable_if_the_view_cannot_be_read(monkeypatch):
    table, seat, _ = await game_of_two()
    socket = await connect(table.public_id)
    await next_view(socket)

    def fail(*_arguments):
        raise OperationalError("the database is away")

    monkeypatch.setattr(broadcaster, "views_of", fail)
    await sync_to_async(draw)(seat, table.version)

    assert await socket.receive() == {"type": "error", "code": "unavailable"}
    assert (await socket.receive_output(timeout=30))["code"] == 1011


async def test_a_view_overtaken_while_it_was_read_is_not_sent(monkeypatch):
    table, seat, _ = await game_of_two()
    socket = await connect(table.public_id)
    before = await next_view(socket)
    read, has_moved = broadcaster.views_of, []

    def move_after_reading(of_table, subscribers):
        views = read(of_table, subscribers)
        if not has_moved:  # The answer to this move is with its player before the view goes out.
            has_moved.append(True)
            draw(seat, table.version)
            waiting = next(iter(broadcaster._broadcasters.values()))
            waiting._latest = table.version + 1
        return views

    monkeypatch.setattr(broadcaster, "views_of", move_after_reading)
    await socket.say('{"type": "resync"}')

    assert (await next_view(socket))["version"] == before["version"] + 1
    await socket.hang_up()


def ask_for_rejoins():
    table = make_table(rules=make_rules(rejoin_seconds=60), seats_min=3, seats_max=3)
    for _ in range(3):
        seating.join(table_id=table.pk, player=make_player())
    score(table, 101, 10, 50)
    return table


async def test_view_is_in_the_language_of_its_viewer():
    table = await sync_to_async(ask_for_rejoins)()
    sockets = [await connect(table.public_id, language=code) for code in ("en", "hi")]

    english, hindi = [(await next_view(socket))["window"]["sentences"] for socket in sockets]

    assert english[1] == "That leaves 2 first drops."
    assert hindi[1] == "फिर 2 फर्स्ट ड्रॉप बचते हैं।"
    for socket in sockets:
        await socket.hang_up()


@pytest.mark.parametrize("path", [f"/ws/tables/{UUID(int=1)}/", "/ws/tables/%00/", "/ws/", "/"])
async def test_socket_at_an_unknown_address_is_refused(path):
    socket = Socket(URLRouter(websocket_urlpatterns), {"type": "websocket", "path": path})
    await socket.send_input({"type": "websocket.connect"})

    assert (await socket.receive_output(timeout=30))["type"] == "websocket.close"


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.soak
async def test_an_idle_socket_still_receives_changes_after_a_while():
    table, seat, _ = await game_of_two()
    socket = await connect(table.public_id)
    await next_view(socket)

    # Longer than the socket timeout and the blocking read of the layer's Redis client.
    await asyncio.sleep(IDLE_SECONDS)
    await sync_to_async(draw)(seat, table.version)

    assert (await next_view(socket))["version"] == table.version + 1
    await socket.hang_up()


async def test_a_socket_reopened_after_a_new_secret_key_stays_signed_in(settings):
    table, seat, _ = await game_of_two()
    client = await sync_to_async(log_in)(seat.player)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 50

    socket = await connect(table.public_id, seat.player, client)

    assert (await next_view(socket))["me"] is not None
    await sync_to_async(draw)(seat, table.version)
    assert (await next_view(socket))["version"] == table.version + 1
    page = await sync_to_async(client.get)("/api/v1/games/")
    assert page.status_code == 200
    await socket.hang_up()
