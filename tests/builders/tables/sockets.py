"""Sockets of players, and the messages sent to them."""

from __future__ import annotations

import json
from uuid import uuid4

from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter
from django.conf import settings
from django.test import Client

from players.sign_in.tokens.access import SocketPlayer
from tables.play import actions
from tables.sockets.urls import websocket_urlpatterns
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import hand_of, move, reread, seat_at

APPLICATION = SocketPlayer(URLRouter(websocket_urlpatterns))


class Socket(ApplicationCommunicator):
    async def say(self, text):
        await self.send_input({"type": "websocket.receive", "text": text})

    async def receive(self):
        return json.loads((await self.receive_output(timeout=30))["text"])

    async def hang_up(self):
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait()


def log_in(player):
    client = Client()
    client.force_login(player)
    return client


def cookie_of(player, client=None):
    """Return the header that a signed-in player's browser sends."""
    name = settings.SESSION_COOKIE_NAME
    client = client or log_in(player)
    return b"cookie", f"{name}={client.cookies[name].value}".encode()


async def connect(table_id, viewer=None, client=None, language="en"):
    """Open a socket behind the product's own reading of the session's cookie."""
    path = f"/ws/tables/{table_id}/"
    headers = [(b"accept-language", language.encode())]
    if client is not None or viewer is not None:
        headers.append(await sync_to_async(cookie_of)(viewer, client))
    scope = {"type": "websocket", "path": path, "headers": headers}
    socket = Socket(APPLICATION, scope)
    await socket.send_input({"type": "websocket.connect"})
    answer = await socket.receive_output(timeout=30)
    return socket if answer["type"] == "websocket.accept" else None


async def game_of_two():
    """Return a table in play and its seats, in the order of their turns."""
    table = await sync_to_async(make_game)(players=2)
    return table, *[await sync_to_async(seat_at)(table, position) for position in (1, 2)]


async def next_view(socket):
    message = await socket.receive()
    assert message["type"] == "view"
    return message["view"]


def draw(seat, version):
    actions.make_move(seat=seat.pk, move_id=uuid4(), text="ds", expected_version=version)


async def game_with_a_socket():
    """Return a table in play and the socket of its second player, which was sent a move."""
    table, first, second = await game_of_two()
    socket = await connect(table.public_id, second.player)
    before = await next_view(socket)
    await sync_to_async(draw)(first, before["version"])
    assert (await next_view(socket))["version"] == before["version"] + 1
    return table, socket


async def play_until_heard(socket, table, *, turns):
    """Play on, at most so many turns, until the socket is sent the table as it is now.

    What was published while Redis was away is lost; the next move publishes it too.
    """
    for turn in range(turns):
        position = 2 if turn % 4 < 2 else 1
        drawn = (await sync_to_async(hand_of)(table, position))[-1]
        await sync_to_async(move)(table, position, f"x {drawn}" if turn % 2 else "ds")
        if not await socket.receive_nothing(timeout=0.5):
            break
    shown = await next_view(socket)
    assert shown["version"] == (await sync_to_async(reread)(table)).version
