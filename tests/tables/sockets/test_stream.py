"""The stream of all games of a player has the same views as sockets, until the token ends."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from players.sign_in.tokens.actions import create_token, end_token
from tables.seats import seating
from tables.sockets import broadcaster, stream
from tables.state.fold import fold_of
from tests.builders.people.regions import open_region
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import hand_of, seat_at
from tests.builders.tables.sockets import APPLICATION, Socket, draw
from tests.builders.tables.streams import Stream
from tests.builders.tables.views import cards_in, open_cards
from tests.builders.wallet.players import admit_to_cash, fund

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch):
    monkeypatch.setattr(stream, "LOOK_SECONDS", 0.1)


async def token_of(player, *scopes):
    return await sync_to_async(create_token)(player=player, name="x", scopes=scopes or ["read"])


def seated_for_money():
    open_region("IN-KA")
    player = admit_to_cash(make_player())
    fund(player, deposit=1_000_00)
    table = make_table(currency="INR")
    seating.join(table_id=table.pk, player=player)
    return table, player


async def game_of_two():
    table = await sync_to_async(make_game)(players=2)
    return table, [await sync_to_async(seat_at)(table, position) for position in (1, 2)]


async def test_a_stream_shows_each_change_as_its_player_may_see_it():
    table, (first, second) = await game_of_two()
    streams = [await Stream.opened((await token_of(seat.player))[1]) for seat in (first, second)]
    before = [await one.view() for one in streams]

    await sync_to_async(draw)(first, table.version)
    after = [await one.view() for one in streams]

    assert [one.status for one in streams] == [200, 200]
    assert streams[0].headers["content-type"] == "application/x-ndjson; charset=utf-8"
    assert streams[0].headers["cache-control"] == "private, no-store"
    assert {view["version"] for view in before} == {table.version}
    assert {view["version"] for view in after} == {table.version + 1}
    deal = await table.deals.aget(no=1)
    public = open_cards((await sync_to_async(fold_of)(deal)).state) | set(deal.toss.split())
    for position, view in enumerate(after, 1):
        hand = set(await sync_to_async(hand_of)(table, position))
        assert set(view["me"]["hand"]) == hand
        assert cards_in(view) <= public | hand
    for one in streams:
        await one.hang_up()
    assert not broadcaster._broadcasters
    assert not stream._open


async def test_a_stream_adds_a_later_game_and_sends_its_last_view():
    player = await sync_to_async(make_player)()
    one = await Stream.opened((await token_of(player))[1])
    table = await sync_to_async(make_table)()
    seat = await sync_to_async(seating.join)(table_id=table.pk, player=player)

    came = await one.view()
    await sync_to_async(seating.leave)(seat_id=seat.pk)
    last = await one.view()

    assert (came["id"], came["me"] is None) == (str(table.public_id), False)
    assert (last["id"], last["me"]) == (str(table.public_id), None)
    await one.hang_up()


async def test_a_stream_ends_with_its_token():
    table, (first, _second) = await game_of_two()
    token, text = await token_of(first.player)
    one = await Stream.opened(text)
    assert (await one.view())["id"] == str(table.public_id)

    await sync_to_async(end_token)(player=first.player, token_id=token.pk)

    assert await one.receive() == {"type": "error", "code": "session_over"}
    assert await one.rest() == ""
    after = await Stream.opened(text)
    assert (after.status, "bad_token" in await after.rest()) == (401, True)


async def test_stream_without_changes_sends_heartbeats(monkeypatch):
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.05)
    one = await Stream.opened((await token_of(await sync_to_async(make_player)()))[1])

    assert [await one.line() for _ in range(3)] == ["\n"] * 3
    await one.hang_up()


async def test_streams_of_a_player_are_limited(settings, monkeypatch):
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.05)
    settings.STREAMS_PER_PLAYER = 2
    _token, text = await token_of(await sync_to_async(make_player)())
    open_ones = [await Stream.opened(text) for _ in range(2)]
    for one in open_ones:
        await one.line()

    refused = await Stream.opened(text)
    await open_ones[0].hang_up()
    again = await Stream.opened(text)

    assert (refused.status, again.status) == (429, 200)
    assert int(refused.headers["retry-after"]) > 0
    assert '"too_many_streams"' in await refused.rest()
    for one in (open_ones[1], again):
        await one.hang_up()


async def test_a_token_receives_nothing_of_games_for_money():
    table, player = await sync_to_async(seated_for_money)()
    _token, text = await token_of(player)

    one = await Stream.opened(text)
    headers = [(b"authorization", f"Bearer {text}".encode())]
    path = f"/ws/tables/{table.public_id}/"
    socket = Socket(APPLICATION, {"type": "websocket", "path": path, "headers": headers})
    await socket.send_input({"type": "websocket.connect"})

    assert await one.receive_nothing(timeout=0.5)
    assert (await socket.receive_output(timeout=30))["type"] == "websocket.close"
    await one.hang_up()


async def test_a_token_that_may_not_read_opens_no_stream():
    _token, text = await token_of(await sync_to_async(make_player)(), "play")

    refused = await Stream.opened(text)

    assert (refused.status, "token_scope" in await refused.rest()) == (403, True)
