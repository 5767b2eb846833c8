"""API tokens of players: their scopes, limits and end."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.api.description import JSON, description
from players.exceptions import NotForGuests, TooManyTokens
from players.sign_in.tokens.actions import TOKENS_MAX, create_token, end_token
from players.sign_in.tokens.models import PlayerToken
from tables.models.tables import Table
from tables.seats import seating
from tables.sockets import broadcaster
from tests.builders.people.regions import open_region
from tests.builders.people.sessions import prove
from tests.builders.processes.routes import routes
from tests.builders.tables.deals import drop_out
from tests.builders.tables.findings import make_cash_player
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import reread, seat_at
from tests.builders.tables.sockets import APPLICATION, Socket, next_view
from tests.builders.wallet.players import admit_to_cash, fund

pytestmark = pytest.mark.django_db(transaction=True)

READ, PLAY = PlayerToken.Scope.READ, PlayerToken.Scope.PLAY
UUID = "00000000-0000-4000-8000-000000000000"


def program(player: Any, *scopes: str) -> tuple[Client, str]:
    """A program with a token of the player's, and its text."""
    _token, text = create_token(player=player, name="A program", scopes=scopes)
    return Client(headers={"Authorization": f"Bearer {text}"}, enforce_csrf_checks=True), text


def played(players: Sequence[Any], currency: str) -> Table:
    """A table of these players with one finished deal."""
    table = make_table(currency=currency)
    for player in players:
        seating.join(table_id=table.pk, player=player)
    drop_out(reread(table))
    return table


def test_a_program_sits_down_and_moves_without_cookie_or_csrf():
    table = make_table()
    players = [make_player(), make_player()]
    programs = [program(player, READ, PLAY)[0] for player in players]

    for one in programs:
        sat = one.post(f"/api/v1/tables/{table.public_id}/seats/", {}, "application/json")
        assert sat.status_code == 201, sat.content
    views = [one.get(f"/api/v1/tables/{table.public_id}/").json() for one in programs]
    turn = next(number for number, view in enumerate(views) if view["me"]["legal"])
    sent = {"move_id": str(uuid4()), "move": "ds", "expected_version": views[turn]["version"]}
    moved = programs[turn].post(
        f"/api/v1/tables/{table.public_id}/moves/", sent, "application/json"
    )

    assert moved.status_code == 200, moved.content
    assert len(moved.json()["me"]["hand"]) == 14
    assert PlayerToken.objects.filter(last_used_at=None).count() == 0


def test_only_what_is_named_is_open_to_tokens():
    """Walk the API: new paths are closed to tokens by default."""
    player = make_player()
    everything, _text = program(player, READ, PLAY)
    opened: dict[str, set[str]] = {}
    for route, _view in routes():
        if not route.startswith("api/v1/") or route.startswith("api/v1/finance/"):
            continue
        address = "/" + re.sub(r"<(?:path|slug):\w+>", "x", re.sub(r"<int:\w+>", "1", route))
        address = re.sub(r"<uuid:\w+>", UUID, address)
        for method in ("get", "post", "put", "delete"):
            answer = getattr(everything, method)(address)
            if answer.status_code == 403 and answer.json()["code"] == "token_scope":
                continue
            opened.setdefault(route.split("/")[2], set()).add(method)

    all_ways = {"get", "post", "put", "delete"}
    assert opened == {
        "games": {"get"},
        "rules": {"get"},
        "quick-seat": all_ways - {"get"},
        **dict.fromkeys(("tables", "private-tables", "tournaments"), all_ways),
    }


def test_api_description_lists_the_operations_and_scopes_of_tokens():
    """Send each operation with tokens of one scope: only the described scope is allowed."""
    player = make_player()
    programs = {scope: program(player, scope)[0] for scope in (READ, PLAY)}
    document = json.loads(description(JSON).body)
    assert len(document["paths"]) > 40
    for path, operations in document["paths"].items():
        if path.startswith("/api/v1/finance/"):
            continue
        address = re.sub(r"{\w*_id}", UUID, re.sub(r"{(?!\w*_id})\w+}", "1", path))
        for method, operation in operations.items():
            let_in = set()
            for scope, one in programs.items():
                answer = getattr(one, method)(address)
                if answer.status_code != 403 or answer.json()["code"] != "token_scope":
                    let_in.add(scope)
            said = {scope for scope in programs if f"scope `{scope}`" in operation["description"]}
            assert let_in == said, f"{method} {path}"
            assert ({"playerToken": []} in operation.get("security", [])) == bool(said)
            assert ("401" in operation["responses"]) >= bool(said)


def test_nothing_is_done_at_a_table_for_money():
    open_region("IN-KA")
    player = admit_to_cash(make_player())
    fund(player, deposit=1_000_00)
    table = make_table(currency="INR")
    one, _text = program(player, READ, PLAY)
    seats = f"/api/v1/tables/{table.public_id}/seats/"

    refused = one.post(seats, {}, "application/json")
    browser = Client()
    browser.force_login(player)
    sat = browser.post(seats, {}, "application/json")
    left = one.delete(f"{seats}mine/")
    sent = {"move_id": str(uuid4()), "move": "ds", "expected_version": 1}
    moved = one.post(f"/api/v1/tables/{table.public_id}/moves/", sent, "application/json")

    assert sat.status_code == 201, sat.content
    for answer in (refused, left, moved):
        assert (answer.status_code, answer.json()["code"]) == (403, "token_scope")
    wish = one.post("/api/v1/quick-seat/", {"currency": "INR"}, "application/json")
    assert wish.json()["code"] == "token_scope"


def test_history_read_with_a_token_has_only_games_for_play_points():
    open_region("IN-KA")
    players = [make_cash_player(), make_cash_player()]
    cash, points = played(players, "INR"), played(players, "PTS")
    browser = Client()
    browser.force_login(players[0])
    one, _text = program(players[0], READ, PLAY)
    complaint = {"ply": 0, "category": "other", "text": "Why?"}

    for table, asked in ((cash, "token_scope"), (points, None)):
        address = f"/api/v1/tables/{table.public_id}/"
        for way in ("sheet/", "deals/1/history.txt", "deals/1/replay/"):
            answer = one.get(address + way)
            assert browser.get(address + way).status_code == 200
            assert (answer.status_code == 200) == (asked is None)
            assert asked is None or answer.json()["code"] == asked
        answer = one.post(f"{address}deals/1/disputes/", complaint, "application/json")
        assert (answer.status_code == 201) == (asked is None), answer.content

    listed = [row["id"] for row in one.get("/api/v1/games/").json()["results"]]
    assert listed == [str(points.public_id)]
    assert len(browser.get("/api/v1/games/").json()["results"]) == 2
    files = one.get("/api/v1/games/deals.zip")
    with ZipFile(io.BytesIO(b"".join(files.streaming_content))) as sent:
        assert sent.namelist() == [f"rummy-{points.public_id}-1.txt"]


def test_token_key_is_not_a_session_and_its_text_is_not_stored():
    player = make_player()
    _one, text = program(player, READ, PLAY)
    token = PlayerToken.objects.get()
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = token.session_key

    answer = thief.get(reverse("account"))
    held = Client(headers={"Authorization": f"Bearer {token.session_key}"})

    assert answer.status_code == 302
    assert "/accounts/login/" in answer["Location"]
    assert held.get("/api/v1/tables/").status_code == 401
    assert text not in str(Session.objects.values_list()) + str(PlayerToken.objects.values_list())


def test_session_cookie_is_not_accepted_as_a_token():
    browser = Client()
    browser.force_login(make_player())
    key = browser.cookies[settings.SESSION_COOKIE_NAME].value

    answer = Client(headers={"Authorization": f"Bearer {key}"}).get("/api/v1/games/")

    assert (answer.status_code, answer.json()["code"]) == (401, "bad_token")
    assert answer["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("end", ["ended", "password", "blocked", "expired"])
def test_an_ended_token_opens_nothing(end):
    player = make_player()
    one, _text = program(player, READ)
    assert one.get("/api/v1/games/").status_code == 200

    token = PlayerToken.objects.get()
    if end == "ended":
        assert not end_token(player=make_player(), token_id=token.pk)
        assert end_token(player=player, token_id=token.pk)
    elif end == "password":
        player.set_password("another good one 7")
        player.save()
    elif end == "blocked":
        player.is_active = False
        player.save()
    else:
        Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))

    assert one.get("/api/v1/games/").status_code in (401, 403)


def test_guests_have_no_tokens_and_players_at_most_ten():
    with pytest.raises(NotForGuests):
        create_token(player=make_player(is_guest=True, email=None), name="x", scopes=[READ])
    player = make_player()
    for number in range(TOKENS_MAX):
        create_token(player=player, name=str(number), scopes=[READ])

    with pytest.raises(TooManyTokens):
        create_token(player=player, name="one more", scopes=[READ])


def test_the_page_shows_a_token_once_and_ends_it(client):
    client.force_login(make_player())
    prove(client)
    page = reverse("tokens")

    made = client.post(page, {"name": "My bot", "scopes": ["read", "play"]}).content.decode()
    [text] = re.findall(r"rummy_[\w-]{40,}", made)
    again = client.get(page).content.decode()

    assert "My bot" in again
    assert text not in again
    client.post(reverse("token-end", args=[PlayerToken.objects.get().pk]))
    assert "My bot" not in client.get(page).content.decode()


def scope_of_socket(table: Table, text: str) -> dict[str, Any]:
    """The scope of a socket to this table with a token's text."""
    headers = [(b"authorization", f"Bearer {text}".encode())]
    return {"type": "websocket", "path": f"/ws/tables/{table.public_id}/", "headers": headers}


async def test_a_socket_by_token_sees_its_players_hand_until_the_token_ends(monkeypatch):
    monkeypatch.setattr(broadcaster, "SESSIONS_CHECKED_SECONDS", 0.1)
    table = await sync_to_async(make_game)(players=2)
    player = (await sync_to_async(seat_at)(table, 1)).player
    token, text = await sync_to_async(create_token)(player=player, name="x", scopes=[READ])
    scope = scope_of_socket(table, text)

    socket = Socket(APPLICATION, scope)
    await socket.send_input({"type": "websocket.connect"})
    assert (await socket.receive_output(timeout=30))["type"] == "websocket.accept"
    assert len((await next_view(socket))["me"]["hand"]) == 13
    await sync_to_async(end_token)(player=player, token_id=token.pk)
    closed = await socket.receive_output(timeout=30)
    while closed["type"] == "websocket.send":
        closed = await socket.receive_output(timeout=30)

    assert (closed["type"], closed["code"]) == ("websocket.close", 4401)
    refused = Socket(APPLICATION, scope)
    await refused.send_input({"type": "websocket.connect"})
    assert (await refused.receive_output(timeout=30))["type"] == "websocket.close"


async def test_a_token_opens_no_socket_at_a_table_for_money():
    table = await sync_to_async(make_table)(currency="INR", seats_min=2)
    player = await sync_to_async(make_player)()
    _, text = await sync_to_async(create_token)(player=player, name="x", scopes=[READ])

    socket = Socket(APPLICATION, scope_of_socket(table, text))
    await socket.send_input({"type": "websocket.connect"})

    assert (await socket.receive_output(timeout=30))["type"] == "websocket.close"
    assert not broadcaster._broadcasters
