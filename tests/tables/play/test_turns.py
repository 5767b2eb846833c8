"""A turn over HTTP takes five statements; unauthorised and invalid moves are refused."""

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext

from tables.models.deals import Move
from tables.models.seats import Seat
from tests.builders.tables.making import make_game
from tests.builders.tables.plain_turns import address_of, send, turn
from tests.builders.tables.playing import hand_of, seat_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def table():
    return make_game(players=2)


def signed_in(player, **more):
    client = Client(**more)
    client.force_login(player)
    return client


@pytest.mark.django_db(transaction=True)
def test_turn_takes_five_statements(table):
    client = signed_in(seat_at(table, 1).player)
    drawn = send(client, table).json()["me"]["drawn"]
    discard = turn(table, move=f"x {drawn}")

    with CaptureQueriesContext(connection) as asked:
        client.post(address_of(table), discard, content_type="application/json")

    made = [query["sql"] for query in asked if " " in query["sql"]]
    reads = (
        "django_session",
        "FOR NO KEY UPDATE",
        "tables_ruleprofile",
        "UPDATE tables_table",
        "INSERT INTO tables_move",
    )
    assert len(made) == len(reads), made
    assert all(text in sql for text, sql in zip(reads, made, strict=True)), made
    assert Move.objects.count() == 2


def test_move_without_csrf_token_or_own_origin_is_refused(table):
    client = signed_in(seat_at(table, 1).player, enforce_csrf_checks=True)

    answer = send(client, table)

    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    client.cookies["csrftoken"] = "a" * 32
    wrong = send(client, table, headers={"x-csrftoken": "b" * 32})
    elsewhere = {"x-csrftoken": "a" * 32, "origin": "https://elsewhere.example"}
    assert [wrong.status_code, send(client, table, headers=elsewhere).status_code] == [403, 403]
    assert Move.objects.count() == 0
    assert send(client, table, headers={"x-csrftoken": "a" * 32}).status_code == 200


def test_ended_session_or_inactive_account_cannot_move(table):
    """The process has seen both sessions play before."""
    players = [seat_at(table, position).player for position in (1, 2)]
    clients = [signed_in(player) for player in players]
    drawn = send(clients[0], table).json()["me"]["drawn"]
    send(clients[0], table, move=f"x {drawn}")
    drawn = send(clients[1], table).json()["me"]["drawn"]

    players[1].set_password("another")
    players[1].save(update_fields=["password"])
    changed = send(clients[1], table, move=f"x {drawn}")
    clients[0].logout()
    over = send(clients[0], table)

    assert [changed.status_code, over.status_code] == [403, 403]
    again = signed_in(players[1])
    players[1].is_active = False
    players[1].save(update_fields=["is_active"])
    assert send(again, table, move=f"x {drawn}").status_code == 403
    assert Move.objects.count() == 3


def test_seat_that_was_left_makes_no_move(table):
    client = signed_in(seat_at(table, 1).player)
    drawn = send(client, table).json()["me"]["drawn"]
    Seat.objects.filter(pk=seat_at(table, 1).pk).update(left_at=table.created_at)

    assert send(client, table, move=f"x {drawn}").status_code == 404
    assert Move.objects.count() == 1


def test_staff_without_a_second_factor_cannot_move(table, settings):
    settings.STAFF_MFA_REQUIRED = True
    player = seat_at(table, 1).player
    player.is_staff = True
    player.save(update_fields=["is_staff"])

    answer = send(signed_in(player), table)

    assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_required")
    assert Move.objects.count() == 0


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"content_type": "text/plain"}, 415, "unsupported_media_type"),
        ({"content_type": "multipart/form-data; boundary="}, 415, "unsupported_media_type"),
        ({"content_type": "multipart/form-data; boundary=x"}, 415, "unsupported_media_type"),
        ({"content_type": "application/json; charset=utf-16"}, 415, "unsupported_media_type"),
        ({"headers": {"accept": "text/html"}}, 406, "not_acceptable"),
        ({"query_params": {"format": "xml"}}, 404, "not_found"),
        ({"data": "{"}, 400, "parse_error"),
        ({"data": "[" * 100_000}, 400, "parse_error"),
        ({"data": "[]"}, 400, "invalid"),
        ({"data": ""}, 400, "invalid"),
    ],
)
def test_unreadable_move_is_refused_with_a_code(table, sent, status, code):
    client = signed_in(seat_at(table, 1).player)
    usual = {"content_type": "application/json", "data": turn(table)}

    answer = client.post(address_of(table), **(usual | sent))

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert (
        client.post(address_of(table), **usual, headers={"host": "other.example"}).status_code
        == 400
    )
    assert Move.objects.count() == 0


def test_moves_need_a_session_and_post(table):
    strangers = send(Client(enforce_csrf_checks=True), table)
    got = signed_in(seat_at(table, 1).player).get(address_of(table))

    assert (strangers.status_code, strangers.json()["code"]) == (403, "not_authenticated")
    assert (got.status_code, got.json()["code"]) == (405, "method_not_allowed")
    assert got["Allow"] == "POST"
    elsewhere = signed_in(seat_at(table, 1).player, headers={"host": "elsewhere.example"})
    assert send(elsewhere, table).status_code == 400
    assert Move.objects.count() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_asgi_application_answers_turns():
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
    client = AsyncClient()
    await client.aforce_login(seat.player)

    sent = await sync_to_async(turn)(table)
    answer = await client.post(address_of(table), sent, content_type="application/json")

    assert answer.status_code == 200
    assert answer.json()["me"]["hand"] == await sync_to_async(hand_of)(table, 1)
    assert await Move.objects.acount() == 1
