"""Moves and other commands of a seat over HTTP: who may send them, and what is refused."""

from uuid import uuid4

import jsonschema
import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator

from tables.models.deals import Move
from tables.models.seats import Seat
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.plain_turns import address_of, send, turn
from tests.builders.tables.playing import hand_of, other_than, seat_at

pytestmark = pytest.mark.django_db
JSON = "application/json"


def signed_in(player, **more):
    client = Client(**more)
    client.force_login(player)
    return client


def client_at(table, position=1, **more):
    return signed_in(seat_at(table, position).player, **more)


def at(table, rest=""):
    return f"/api/v1/tables/{table.public_id}/{rest}"


def refusal(answer):
    return answer.status_code, answer.json()["code"]


def test_seat_is_taken_once_and_left():
    table, player = make_table(seats_max=3), make_player()
    client = signed_in(player)
    (row,) = client.get("/api/v1/tables/").json()["results"]
    assert row["id"] == str(table.public_id)
    assert row["entry"] == {"minor": 100_00, "currency": "PTS", "text": "100 PTS"}

    taken, refused = [client.post(at(table, "seats/"), {}, JSON) for _ in range(2)]
    left = client.delete(at(table, "seats/mine/"))

    assert (taken.status_code, left.status_code) == (201, 204)
    assert taken.json()["seats"][0]["handle"] == player.handle
    assert taken.json()["me"]["hand"] == []
    assert refusal(refused) == (409, "already_seated")
    assert client.get(at(table)).status_code == 404
    assert table.seats.present().count() == 0


def test_others_see_the_public_view_only_and_make_no_move(game_of_two):
    table = game_of_two
    stranger, nobody = signed_in(make_player()), Client()

    answers = [
        stranger.get(at(table)),
        send(stranger, table),
        stranger.put(at(table, "groups/"), {"groups": "5H"}, JSON),
        stranger.delete(at(table, "seats/mine/")),
    ]

    assert [answer.status_code for answer in answers] == [404] * 4
    for private in (at(table), "/api/v1/tables/"):
        assert nobody.get(private).status_code == 403
    for client in (stranger, nobody):
        public = client.get(at(table, "public/"))
        assert (public.status_code, public.json()["me"]) == (200, None)
    assert Move.objects.count() == 0


@pytest.mark.parametrize(
    ("position", "more", "code"),
    [(2, {}, "not_your_turn"), (1, {"expected_version": 0}, "stale_version")],
)
def test_refused_move_returns_its_code_and_the_current_view(position, more, code, game_of_two):
    table = game_of_two

    answer = send(client_at(table, position), table, **more)

    assert refusal(answer) == (409, code)
    assert answer.json()["view"]["version"] == table.version
    assert answer.json()["view"]["me"]["hand"] == hand_of(table, position)
    assert Move.objects.count() == 0


def test_repeated_move_id_returns_the_first_answer(game_of_two):
    table, move_id = game_of_two, str(uuid4())
    client = client_at(table)
    first = send(client, table, move_id=move_id).json()
    send(client, table, move=f"x {first['me']['drawn']}")

    again = send(client, table, move_id=move_id)
    conflict = send(client, table, move_id=move_id, move="drop")

    assert again.status_code == 200
    assert again.json() | {"server_now": None} == first | {"server_now": None}
    assert refusal(conflict) == (409, "move_id_conflict")
    assert Move.objects.count() == 2


UNSUPPORTED, UNREADABLE = (415, "unsupported_media_type"), (400, "parse_error")
INVALID = (400, "invalid")
MOVE = {"move_id": str(uuid4()), "expected_version": 1, "move": "ds"}
UNVERSIONED = {name: MOVE[name] for name in ("move_id", "move")}


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        ({"content_type": "text/plain"}, UNSUPPORTED),
        ({"content_type": "multipart/form-data; boundary="}, UNSUPPORTED),
        ({"content_type": "multipart/form-data; boundary=x"}, UNSUPPORTED),
        ({"content_type": "application/json; charset=utf-16"}, UNSUPPORTED),
        ({"headers": {"accept": "text/html"}}, (406, "not_acceptable")),
        ({"query_params": {"format": "xml"}}, (404, "not_found")),
        ({"data": "{"}, UNREADABLE),
        ({"data": "[" * 100_000}, UNREADABLE),
        ({"data": "[]"}, INVALID),
        ({"data": ""}, INVALID),
        ({"data": "{}"}, INVALID),
        ({"data": MOVE | {"move_id": "one"}}, INVALID),
        ({"data": MOVE | {"expected_version": -1}}, INVALID),
        ({"data": MOVE | {"move": "ds" * 300}}, INVALID),
        ({"data": MOVE | {"window_id": str(uuid4())}}, INVALID),
        ({"data": UNVERSIONED}, INVALID),
    ],
)
def test_unreadable_move_is_refused_with_a_code(game_of_two, sent, refused):
    table = game_of_two
    usual = {"content_type": JSON, "data": turn(table)}

    answer = client_at(table).post(address_of(table), **(usual | sent))

    assert refusal(answer) == refused
    assert answer["Content-Type"] == "application/problem+json"
    assert Move.objects.count() == 0


@pytest.mark.parametrize(
    "spelling",
    [
        {"move": " ds "},
        {"move_id": "0197AAAA-0000-4000-8000-00000000000A"},
        {"move_id": "0197aaaa00004000800000000000000a"},
        {"expected_version": "{version}"},
    ],
)
def test_equivalent_spellings_of_a_move_are_accepted(spelling, game_of_two):
    table = game_of_two
    spelling = {name: text.format(version=table.version) for name, text in spelling.items()}

    answer = send(client_at(table), table, **spelling)

    assert (answer.status_code, answer.json()["version"]) == (200, table.version + 1)
    assert answer.json()["me"]["hand"] == hand_of(table, 1)
    assert answer.json()["me"]["drawn"] == hand_of(table, 1)[-1]
    assert Move.objects.count() == 1


def test_groups_are_kept_and_foreign_cards_refused(game_of_two):
    table = game_of_two
    client, hand = client_at(table), hand_of(table, 1)

    def put(groups):
        return client.put(at(table, "groups/"), {"groups": groups}, JSON)

    assert put(" ".join(hand[:3]).lower()).status_code == 204
    for wrong in (other_than(hand), "aces"):
        assert refusal(put(wrong)) == (409, "bad_groups")
    assert client.get(at(table)).json()["me"]["groups"] == [" ".join(hand[:3])]


@pytest.mark.extended
def test_answers_match_the_schema(game_of_two):
    table = game_of_two
    named = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    strict = {name: _strict(schema) for name, schema in named.items()}
    schema = {"$ref": "#/components/schemas/TableView", "components": {"schemas": strict}}

    for answer in (send(client_at(table), table), Client().get(at(table, "public/"))):
        jsonschema.validate(answer.json(), schema)


def _strict(schema):
    """OpenAPI 3.0's `nullable` in the words of JSON Schema, with no field unnamed."""
    if schema.get("nullable"):
        plain = {name: value for name, value in schema.items() if name != "nullable"}
        return {"anyOf": [_strict(plain), {"type": "null"}]}
    strict = dict(schema)
    if "properties" in schema:
        strict["properties"] = {n: _strict(s) for n, s in schema["properties"].items()}
        strict["additionalProperties"] = False
    elif "additionalProperties" in schema:
        strict["additionalProperties"] = _strict(schema["additionalProperties"])
    if "items" in schema:
        strict["items"] = _strict(schema["items"])
    return strict


@pytest.mark.django_db(transaction=True)
def test_turn_takes_five_statements():
    table = make_game(players=2)
    client = client_at(table)
    drawn = send(client, table).json()["me"]["drawn"]
    discard = turn(table, move=f"x {drawn}")

    with CaptureQueriesContext(connection) as asked:
        client.post(address_of(table), discard, content_type=JSON)

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


def test_moves_need_post_a_session_a_csrf_token_and_the_own_origin(game_of_two):
    table, token = game_of_two, "a" * 32
    client = client_at(table, enforce_csrf_checks=True)
    foreign = {"x-csrftoken": token, "origin": "https://elsewhere.example"}

    got = client.get(address_of(table))
    assert (*refusal(got), got["Allow"]) == (405, "method_not_allowed", "POST")
    assert refusal(send(Client(enforce_csrf_checks=True), table)) == (403, "not_authenticated")
    assert refusal(send(client, table)) == (403, "permission_denied")
    client.cookies["csrftoken"] = token
    for headers in ({"x-csrftoken": "b" * 32}, foreign):
        assert send(client, table, headers=headers).status_code == 403
    elsewhere = client_at(table, headers={"host": "elsewhere.example"})
    assert send(elsewhere, table).status_code == 400
    assert Move.objects.count() == 0
    assert send(client, table, headers={"x-csrftoken": token}).status_code == 200


def test_ended_session_or_inactive_account_cannot_move(game_of_two):
    """The process has seen both sessions play before."""
    table = game_of_two
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


def test_seat_that_was_left_makes_no_move(game_of_two):
    table = game_of_two
    client = client_at(table)
    drawn = send(client, table).json()["me"]["drawn"]
    Seat.objects.filter(pk=seat_at(table, 1).pk).update(left_at=table.created_at)

    assert send(client, table, move=f"x {drawn}").status_code == 404
    assert Move.objects.count() == 1


def test_staff_without_a_second_factor_cannot_move(game_of_two, settings):
    settings.STAFF_MFA_REQUIRED = True
    player = seat_at(game_of_two, 1).player
    player.is_staff = True
    player.save(update_fields=["is_staff"])

    assert refusal(send(signed_in(player), game_of_two)) == (403, "second_factor_required")
    assert Move.objects.count() == 0


@pytest.mark.django_db(transaction=True)
async def test_asgi_application_answers_turns():
    table = await sync_to_async(make_game)(players=2)
    seat = await sync_to_async(seat_at)(table, 1)
    client = AsyncClient()
    await client.aforce_login(seat.player)

    sent = await sync_to_async(turn)(table)
    answer = await client.post(address_of(table), sent, content_type=JSON)

    assert answer.status_code == 200
    assert answer.json()["me"]["hand"] == await sync_to_async(hand_of)(table, 1)
    assert await Move.objects.acount() == 1
