"""Phrases at a table: from a fixed list, by seated players, to all viewers."""

from datetime import datetime
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from rest_framework.test import APIClient

from core.http.rates import Rate, Rates
from tables.manners.actions import block
from tables.models.seats import Seat
from tables.play import actions
from tables.seats import seating
from tables.view.phrases import EMOTES, SAID_FOR, Phrase, spoken, text_of
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import seat_at
from tests.builders.tables.sockets import connect, next_view


def say(table, player, phrase="hello"):
    client = APIClient(REMOTE_ADDR=f"2001:db8:{uuid4().hex[:4]}::1")
    if player is not None:
        client.force_login(player)
    address = f"/api/v1/tables/{table.public_id}/phrases/"
    return client.post(address, {"phrase": phrase}, "json")


@pytest.fixture
def sent(monkeypatch):
    """What would be broadcast."""
    found = []
    monkeypatch.setattr(actions, "broadcast_phrase", lambda table, said, **_: found.append(said))
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_phrase_is_sent_to_every_socket_in_its_language():
    table = await sync_to_async(make_game)(players=2)
    first, second = [await sync_to_async(seat_at)(table, position) for position in (1, 2)]
    sockets = [
        await connect(table.public_id, first.player),
        await connect(table.public_id, second.player, language="hi"),
        await connect(table.public_id),
    ]
    versions = [(await next_view(socket))["version"] for socket in sockets]

    answer = await sync_to_async(say)(table, first.player, "well_played")
    received = [await socket.receive() for socket in sockets]

    assert answer.status_code == 204
    assert received[0] == {
        "type": "phrase",
        "handle": first.player.handle,
        "phrase": "well_played",
        "text": "Well played!",
        "spoken": "Well played!",
        "at": received[0]["at"],
    }
    assert received[2] == received[0]
    assert received[1]["phrase"] == "well_played"
    assert received[1]["text"] not in ("", "Well played!")
    await table.arefresh_from_db()
    assert versions == [table.version] * 3
    for socket in sockets:
        await socket.hang_up()


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_phrase_reaches_neither_socket_nor_view_of_a_player_who_blocked_its_sender():
    table = await sync_to_async(make_game)(players=3)
    players = [(await sync_to_async(seat_at)(table, position)).player for position in (1, 2, 3)]
    speaker, blocker, other = players
    fan = await sync_to_async(make_player)()
    for person in (blocker, fan):
        await sync_to_async(block)(player=person, blocked=speaker)
    sockets = {person: await connect(table.public_id, person) for person in (*players, fan)}
    for socket in sockets.values():
        await next_view(socket)

    await sync_to_async(say)(table, speaker, "clap")
    received = {who: (await sockets[who].receive())["type"] for who in (speaker, other, fan)}
    assert await sockets[blocker].receive_nothing(timeout=0.5)
    await sync_to_async(say)(table, other, "hello")
    assert (await sockets[blocker].receive())["handle"] == other.handle
    await sockets[blocker].say('{"type": "resync"}')
    seen = await next_view(sockets[blocker])

    assert received == dict.fromkeys((speaker, other, fan), "phrase")
    phrases = {seat["handle"]: seat["said"] and seat["said"]["phrase"] for seat in seen["seats"]}
    assert phrases == {speaker.handle: None, blocker.handle: None, other.handle: "hello"}
    polled = await sync_to_async(phrases_polled_by)(table, players)
    assert polled == [{"clap", "hello"}, {"hello"}, {"clap", "hello"}]
    for socket in sockets.values():
        await socket.hang_up()


def phrases_polled_by(table, players):
    """Return the phrases in the API's view of each player."""
    found = []
    for player in players:
        client = APIClient()
        client.force_login(player)
        seats = client.get(f"/api/v1/tables/{table.public_id}/").json()["seats"]
        found.append({seat["said"]["phrase"] for seat in seats if seat["said"]})
    return found


def waiting_table():
    table = make_table(seats_min=3, seats_max=3)
    for _ in range(2):
        seating.join(table_id=table.pk, player=make_player())
    return table


def said_in(address, **headers):
    view = APIClient().get(address, headers=headers).json()
    return [seat["said"] for seat in view["seats"]]


@pytest.mark.django_db
@pytest.mark.parametrize("start", [make_game, waiting_table])
def test_clients_that_poll_see_each_players_last_phrase_for_some_seconds(start):
    table = start()
    address = f"/api/v1/tables/{table.public_id}/public/"
    said_in(address)  # What a view keeps of an earlier one must not hide it.
    speaker = table.seats.in_seat_order().first()

    for phrase in ("hello", "clap"):
        say(table, speaker.player, phrase)
    seen, in_hindi = said_in(address), said_in(address, accept_language="hi")

    speaker.refresh_from_db()
    assert speaker.said_at is not None
    at = seen[0].pop("at")
    assert datetime.fromisoformat(at) == speaker.said_at
    assert seen == [
        {"phrase": "clap", "text": "\N{CLAPPING HANDS SIGN}", "spoken": "Applause"},
        None,
    ]
    assert in_hindi[0]["phrase"] == "clap"
    assert in_hindi[0]["spoken"] not in ("", "Applause")
    Seat.objects.filter(pk=speaker.pk).update(said_at=speaker.said_at - SAID_FOR)
    assert said_in(address) == [None, None]


@pytest.mark.django_db
def test_phrase_without_a_seat_is_refused(sent):
    table = make_game(players=2)
    left, blocked = seat_at(table, 1), seat_at(table, 2).player
    type(left).objects.filter(pk=left.pk).update(left_at=left.joined_at)
    type(blocked).objects.filter(pk=blocked.pk).update(is_active=False)

    answers = [say(table, who) for who in (None, make_player(), left.player, blocked)]

    found = [(answer.status_code, answer.json()["code"]) for answer in answers]
    signed_out, no_seat = (403, "not_authenticated"), (404, "not_found")
    assert found == [signed_out, no_seat, no_seat, signed_out]
    assert sent == []


@pytest.mark.django_db
@pytest.mark.parametrize("phrase", ["Hello!", "", "<b>", None, ["hello"]])
def test_free_text_is_refused_as_a_phrase(sent, phrase):
    table = make_game(players=2)

    answer = say(table, seat_at(table, 1).player, phrase)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert sent == []


@pytest.mark.django_db
def test_phrases_are_throttled_per_player(sent, settings):
    settings.THROTTLES = settings.THROTTLES | {"phrases": Rates(Rate(2, 3_600), None)}
    table = make_game(players=2)
    speaker, other = seat_at(table, 1).player, seat_at(table, 2).player

    answers = [say(table, speaker, "clap") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [204, 204, 429]
    assert answers[2].json()["code"] == "throttled"
    assert say(table, other).status_code == 204
    said = [(each["handle"], each["phrase"]) for each in sent]
    assert said == [(speaker.handle, "clap")] * 2 + [(other.handle, "hello")]


def test_every_phrase_has_a_text_or_a_picture_with_a_name():
    shown = [text_of(phrase) for phrase in Phrase]

    assert len(set(shown)) == len(Phrase) > len(EMOTES)
    assert all(spoken(phrase) for phrase in Phrase)
