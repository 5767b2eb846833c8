"""Sockets are limited by player and by address, and a noisy one is closed."""

import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from django.test import Client

from config import asgi
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

pytestmark = pytest.mark.django_db(transaction=True)


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


HOST = "localhost:9130"
REFUSED = {
    "another port": "http://localhost:9999",
    "no port": "http://localhost",
    "another scheme": "https://localhost:9130",
    "another allowed host": "http://127.0.0.1:9130",
    "a port that is a name": "http://localhost:9130.evil",
    "a longer host": "http://localhost:9130.evil.example",
    "user information": "http://localhost:9130@evil.example",
    "a path": "http://localhost:9130/",
    "a socket's scheme": "ws://localhost:9130",
    "an opaque origin": "null",
    "nothing": "",
    "not a URL": "http://[",
}


async def answer_to(table, origin, *, host=HOST, scheme="ws", headers=()):
    """Return the type of the server's first message to a handshake."""
    sent = [(b"host", host.encode()), *headers]
    if origin is not None:
        sent.append((b"origin", origin.encode("latin-1")))
    scope = {
        "type": "websocket",
        "path": f"/ws/tables/{table.public_id}/",
        "scheme": scheme,
        "headers": sent,
    }
    socket = Socket(asgi.application, scope)
    await socket.send_input({"type": "websocket.connect"})
    answer = await socket.receive_output(timeout=30)
    if answer["type"] == "websocket.accept":
        await socket.receive()
        await socket.hang_up()
    return answer["type"].removeprefix("websocket.")


async def test_an_origin_that_differs_in_scheme_host_or_port_is_refused():
    table, player = await sync_to_async(make_game)(players=2), await sync_to_async(make_player)()
    headers = [await sync_to_async(cookie_of)(player)]

    found = {kind: await answer_to(table, REFUSED[kind], headers=headers) for kind in REFUSED}

    assert found == dict.fromkeys(REFUSED, "close")
    assert await answer_to(table, None, headers=headers) == "close"
    assert await answer_to(table, f"http://{HOST}", headers=headers) == "accept"
    assert await answer_to(table, f"https://{HOST}", scheme="wss", headers=headers) == "accept"


async def test_a_host_that_is_not_the_sites_is_refused(settings):
    settings.CSRF_TRUSTED_ORIGINS = ["http://localhost:9130"]
    table = await sync_to_async(make_game)(players=2)
    for host in ("evil.example", "localhost:9130.evil", "localhost:9130/@evil"):
        assert await answer_to(table, f"http://{host}", host=host) == "close"
        assert await answer_to(table, "http://localhost:9130", host=host) == "close"


async def test_behind_a_proxy_the_scheme_is_the_one_of_the_browser(settings):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    table = await sync_to_async(make_game)(players=2)
    behind = {"host": "localhost", "headers": [(b"x-forwarded-proto", b"https")]}

    assert await answer_to(table, "https://localhost", **behind) == "accept"
    assert await answer_to(table, "http://localhost", **behind) == "close"


async def test_a_trusted_origin_opens_a_socket_as_it_sends_forms(settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://play.example.com", "https://*.rummy.example"]
    table = await sync_to_async(make_game)(players=2)

    assert await answer_to(table, "https://play.example.com") == "accept"
    assert await answer_to(table, "https://a.rummy.example") == "accept"
    assert await answer_to(table, "http://play.example.com") == "close"
    assert await answer_to(table, "https://play.example.com:8443") == "close"


async def test_a_page_of_another_origin_opens_no_stream():
    """A page on another port of the host is of the same site: the browser sends the cookie."""
    player = await sync_to_async(make_player)()

    def code_for(origin):
        client = Client(headers={"host": HOST, **({} if origin is None else {"origin": origin})})
        client.force_login(player)
        answer = client.get("/api/v1/tables/stream/")
        return answer.status_code, answer.json()["code"]

    found = {kind: await sync_to_async(code_for)(REFUSED[kind]) for kind in REFUSED}

    assert found == dict.fromkeys(REFUSED, (403, "foreign_origin"))
    # This client speaks WSGI, so that no stream begins.
    assert await sync_to_async(code_for)(f"http://{HOST}") == (421, "not_streamed_here")
    assert await sync_to_async(code_for)(None) == (421, "not_streamed_here")
