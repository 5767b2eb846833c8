"""A page of another origin opens no socket and no stream with a player's cookie."""

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from config.asgi import application
from tests.builders.tables.making import make_game, make_player
from tests.builders.tables.sockets import Socket, cookie_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]

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
    socket = Socket(application, scope)
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
