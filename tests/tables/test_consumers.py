"""The tables' sockets: a view on connecting, after each change, and when asked to."""

import asyncio
import json
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter

from tables.routing import websocket_urlpatterns
from tables.services import play
from tables.state import fold_of
from tests.tables.builders import hand_of, make_game, make_player, seat_at
from tests.tables.test_table_view import cards_in, open_cards

pytestmark = pytest.mark.django_db(transaction=True)

APPLICATION = URLRouter(websocket_urlpatterns)
IDLE_SECONDS = 13


class Socket(ApplicationCommunicator):
    async def say(self, text):
        await self.send_input({"type": "websocket.receive", "text": text})

    async def hear(self):
        return json.loads((await self.receive_output(timeout=5))["text"])

    async def hang_up(self):
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait()


async def connect(table_id, viewer=None):
    path = f"/ws/tables/{table_id}/"
    scope = {"type": "websocket", "path": path, "headers": [], "user": viewer}
    socket = Socket(APPLICATION, scope)
    await socket.send_input({"type": "websocket.connect"})
    answer = await socket.receive_output(timeout=5)
    return socket if answer["type"] == "websocket.accept" else None


async def next_view(socket):
    message = await socket.hear()
    assert message["type"] == "view"
    return message["view"]


def draw(seat, version):
    play.play(seat_id=seat.pk, move_id=uuid4(), text="ds", expected_version=version)


@pytest.mark.asyncio
async def test_every_viewer_is_sent_his_own_view_of_each_change():
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
async def test_a_client_may_ask_again_and_nonsense_is_named_so():
    table = await sync_to_async(make_game)(players=2)
    socket = await connect(table.public_id)
    first = await next_view(socket)

    await socket.say('{"type": "resync"}')
    again = await next_view(socket)
    for nonsense in ("{", "[]", '{"type": "move"}'):
        await socket.say(nonsense)
        assert await socket.hear() == {"type": "error", "code": "unknown_message"}

    assert again["version"] == first["version"]
    await socket.hang_up()


@pytest.mark.asyncio
async def test_a_table_that_does_not_exist_opens_no_socket():
    assert await connect(uuid4()) is None


@pytest.mark.process
@pytest.mark.asyncio
async def test_an_idle_socket_still_hears_after_a_while():
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
    socket = await connect(table.public_id)
    await next_view(socket)

    # Longer than the socket timeout and the blocking read of the layer's Redis client.
    await asyncio.sleep(IDLE_SECONDS)
    await sync_to_async(draw)(seat, table.version)

    assert (await next_view(socket))["version"] == table.version + 1
    await socket.hang_up()
