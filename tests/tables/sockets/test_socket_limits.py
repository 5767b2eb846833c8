"""Sockets are limited by player and by address, and a noisy one is closed."""

import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter

from players.sign_in.tokens.access import SocketPlayer
from tables.sockets.socket_limits import (
    JUNK_COST,
    MESSAGES_AT_ONCE,
    SocketCap,
    address_of,
    player_of,
)
from tables.sockets.urls import websocket_urlpatterns
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.sockets import Socket, cookie_of, next_view

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


def application():
    """Return the sockets' part of `config.asgi` with counts of its own."""
    of_players = SocketCap(URLRouter(websocket_urlpatterns), player_of, "SOCKETS_PER_PLAYER")
    return SocketCap(SocketPlayer(of_players), address_of, "SOCKETS_PER_ADDRESS")


async def opened(app, table, *, address="203.0.113.9", headers=()):
    scope = {
        "type": "websocket",
        "path": f"/ws/tables/{table.public_id}/",
        "headers": list(headers),
        "client": (address, 40_000),
    }
    socket = Socket(app, scope)
    await socket.send_input({"type": "websocket.connect"})
    assert (await socket.receive_output(timeout=30))["type"] == "websocket.accept"
    return socket


async def is_refused(socket, code="too_many_sockets"):
    assert await socket.receive() == {"type": "error", "code": code}
    closed = await socket.receive_output(timeout=30)
    return (closed["type"], closed["code"]) == ("websocket.close", 4429)


async def test_an_address_may_open_another_socket_after_closing_one(settings):
    settings.SOCKETS_PER_ADDRESS = 3
    table, app = await sync_to_async(make_game)(players=2), application()
    sockets = [await opened(app, table) for _ in range(3)]
    for socket in sockets:
        await next_view(socket)

    assert await is_refused(await opened(app, table))
    elsewhere = await opened(app, table, address="203.0.113.10")
    assert await next_view(elsewhere)
    await sockets.pop().hang_up()
    again = await opened(app, table)
    assert await next_view(again)

    for socket in (*sockets, elsewhere, again):
        await socket.hang_up()
    assert not app.open  # What is closed is not counted, nor remembered.


async def test_addresses_of_one_ipv6_network_and_forwarded_ones_are_counted_as_one(settings):
    settings.SOCKETS_PER_ADDRESS = 1
    settings.TRUSTED_PROXY_COUNT = 1
    table, app = await sync_to_async(make_game)(players=2), application()

    def forwarded(address):
        return [(b"x-forwarded-for", f"198.51.100.1, {address}".encode())]

    first = await opened(app, table, headers=forwarded("2001:db8::1"))
    assert await next_view(first)
    assert await is_refused(await opened(app, table, headers=forwarded("2001:db8::2")))
    other = await opened(app, table, headers=forwarded("2001:db8:1::1"))
    assert await next_view(other)
    for socket in (first, other):
        await socket.hang_up()


async def test_sockets_of_a_player_are_limited_over_all_addresses(settings):
    settings.SOCKETS_PER_PLAYER = 2
    table, app = await sync_to_async(make_game)(players=2), application()
    player, other = [await sync_to_async(make_player)() for _ in range(2)]
    cookie, others = [await sync_to_async(cookie_of)(who) for who in (player, other)]
    mine = [await opened(app, table, address=f"203.0.113.{n}", headers=[cookie]) for n in range(2)]
    for socket in mine:
        await next_view(socket)

    assert await is_refused(await opened(app, table, headers=[cookie]))
    others_socket = await opened(app, table, headers=[others])
    spectators = [await opened(app, table) for _ in range(3)]
    for socket in (others_socket, *spectators):
        assert await next_view(socket)

    for socket in (*mine, others_socket, *spectators):
        await socket.hang_up()


async def test_a_noisy_socket_is_closed_and_junk_counts_more():
    table, app = await sync_to_async(make_game)(players=2), application()
    noisy, junky = [await opened(app, table) for _ in range(2)]
    for socket in (noisy, junky):
        await next_view(socket)

    for _ in range(int(MESSAGES_AT_ONCE) + 5):
        await noisy.say('{"type": "resync"}')
    await next_view(noisy)  # One answer a second, however often it is asked.
    assert await is_refused(noisy, "too_many_messages")

    answered = int(MESSAGES_AT_ONCE / JUNK_COST)
    for _ in range(answered + 5):
        await junky.say("junk")
    for _ in range(answered):
        assert await junky.receive() == {"type": "error", "code": "unknown_message"}
    assert await is_refused(junky, "too_many_messages")
    assert await junky.receive_nothing()
