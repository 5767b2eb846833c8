"""The tables' sockets: a view on connecting, after each change, and when asked to."""

import asyncio
import json
from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from core.db.statements import execute_pipeline
from players.sign_in import sessions
from tables.models.seats import Seat
from tables.seats import open_sockets, presence, seating
from tables.sockets import attendance, broadcaster, socket_limits
from tables.sockets.urls import websocket_urlpatterns
from tables.state import publishing as announcing
from tables.state.fold import fold_of
from tests.builders.tables.making import make_game, make_player, make_rules, make_table
from tests.builders.tables.playing import hand_of, seat_at
from tests.builders.tables.pools import score
from tests.builders.tables.sockets import Socket, connect, draw, log_in, next_view
from tests.builders.tables.views import cards_in, open_cards

pytestmark = pytest.mark.django_db(transaction=True)

IDLE_SECONDS = 13


@pytest.mark.asyncio
async def test_simultaneous_sockets_are_read_together_and_each_is_its_own_viewers(monkeypatch):
    trips = []

    def counted(*asked):
        trips.append(len(asked))
        return execute_pipeline(*asked)

    table = await sync_to_async(make_game)(players=2)
    players = [(await sync_to_async(seat_at)(table, position)).player for position in (1, 2)]
    clients = [await sync_to_async(log_in)(player) for player in players]
    monkeypatch.setattr(sessions, "execute_pipeline", counted)
    signed_in = (connect(table.public_id, client=client) for client in clients * 3)
    sockets = await asyncio.gather(*signed_in, connect(table.public_id))

    views = [await next_view(socket) for socket in sockets]

    assert sum(trips) == 6  # The spectator has no session.
    assert len(trips) < 6
    assert [view["me"] and view["me"]["position"] for view in views] == [1, 2] * 3 + [None]
    for socket in sockets:
        await socket.hang_up()


@pytest.mark.asyncio
async def test_every_viewer_is_sent_their_own_view_of_each_change():
    table = await sync_to_async(make_game)(players=2)
    first, second = [await sync_to_async(seat_at)(table, position) for position in (1, 2)]
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


@pytest.mark.asyncio
async def test_resync_sends_the_view_and_other_messages_are_refused(monkeypatch):
    monkeypatch.setattr(socket_limits, "MESSAGES_AT_ONCE", 60.0)
    table = await sync_to_async(make_game)(players=2)
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


def change_password(client, player):
    player.set_password("another long passphrase")
    player.save(update_fields=["password"])


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("end_session", "asked"),
    [(log_out, True), (log_out, False), (deactivate, False), (change_password, False)],
)
async def test_socket_is_closed_when_its_session_ends(end_session, asked):
    table = await sync_to_async(make_game)(players=2)
    first, second = [await sync_to_async(seat_at)(table, position) for position in (1, 2)]
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


@pytest.mark.asyncio
async def test_a_socket_is_closed_after_a_sign_out_though_nothing_happens_at_its_table(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.05)
    table = await sync_to_async(make_game)(players=2)
    first, second = [await sync_to_async(seat_at)(table, position) for position in (1, 2)]
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


@pytest.mark.asyncio
async def test_sessions_are_checked_again_after_a_database_error(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.05)
    table = await sync_to_async(make_game)(players=2)
    client = await sync_to_async(log_in)((await sync_to_async(seat_at)(table, 1)).player)
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


@pytest.mark.asyncio
async def test_a_change_without_a_message_is_shown_after_a_while(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.05)
    monkeypatch.setattr(announcing, "broadcast_change", lambda *_: None)
    table = await sync_to_async(make_game)(players=2)
    first, second = [await sync_to_async(seat_at)(table, position) for position in (1, 2)]
    socket = await connect(table.public_id, second.player)
    before = await next_view(socket)

    await sync_to_async(draw)(first, before["version"])

    assert (await next_view(socket))["version"] == before["version"] + 1
    assert await socket.receive_nothing(timeout=0.5)
    await socket.hang_up()


@pytest.mark.asyncio
async def test_socket_is_closed_with_unavailable_if_the_view_cannot_be_read(monkeypatch):
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
    socket = await connect(table.public_id)
    await next_view(socket)

    def fail(*_arguments):
        raise OperationalError("the database is away")

    monkeypatch.setattr(broadcaster, "views_of", fail)
    await sync_to_async(draw)(seat, table.version)

    assert await socket.receive() == {"type": "error", "code": "unavailable"}
    assert (await socket.receive_output(timeout=30))["code"] == 1011


@pytest.mark.asyncio
async def test_a_view_overtaken_while_it_was_read_is_not_sent(monkeypatch):
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
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


@pytest.mark.asyncio
async def test_view_is_in_the_language_of_its_viewer():
    table = await sync_to_async(ask_for_rejoins)()
    sockets = [await connect(table.public_id, language=code) for code in ("en", "hi")]

    english, hindi = [(await next_view(socket))["window"]["sentences"] for socket in sockets]

    assert english[1] == "That leaves 2 first drops."
    assert hindi[1] == "फिर 2 फर्स्ट ड्रॉप बचते हैं।"
    for socket in sockets:
        await socket.hang_up()


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [f"/ws/tables/{UUID(int=1)}/", "/ws/tables/%00/", "/ws/", "/"])
async def test_socket_at_an_unknown_address_is_refused(path):
    socket = Socket(URLRouter(websocket_urlpatterns), {"type": "websocket", "path": path})
    await socket.send_input({"type": "websocket.connect"})

    assert (await socket.receive_output(timeout=30))["type"] == "websocket.close"


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.asyncio
@pytest.mark.soak
async def test_an_idle_socket_still_receives_changes_after_a_while():
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
    socket = await connect(table.public_id)
    await next_view(socket)

    # Longer than the socket timeout and the blocking read of the layer's Redis client.
    await asyncio.sleep(IDLE_SECONDS)
    await sync_to_async(draw)(seat, table.version)

    assert (await next_view(socket))["version"] == table.version + 1
    await socket.hang_up()


@pytest.mark.asyncio
async def test_a_socket_reopened_after_a_new_secret_key_stays_signed_in(settings):
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
    client = await sync_to_async(log_in)(seat.player)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "n" * 50

    socket = await connect(table.public_id, seat.player, client)

    assert (await next_view(socket))["me"] is not None
    await sync_to_async(draw)(seat, table.version)
    assert (await next_view(socket))["version"] == table.version + 1
    page = await sync_to_async(client.get)("/api/v1/games/")
    assert page.status_code == 200
    await socket.hang_up()


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


@pytest.mark.asyncio
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


@pytest.mark.asyncio
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


@pytest.mark.asyncio
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


@pytest.mark.asyncio
async def test_spectators_are_counted_and_share_one_view_of_each_change(monkeypatch):
    rendered = []

    def counted(view):
        rendered.append(view.me is None)
        return _sent(view)

    _sent = broadcaster._sent
    monkeypatch.setattr(broadcaster, "_sent", counted)
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
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
