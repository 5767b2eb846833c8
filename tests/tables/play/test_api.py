"""The HTTP API of tables."""

from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from tables.models.deals import Move
from tests.builders.tables.making import make_player, make_table
from tests.builders.tables.playing import hand_of, other_than, reread, seat_at

pytestmark = pytest.mark.django_db


def client_of(player):
    client = APIClient()
    client.force_login(player)
    return client


def at(table, rest=""):
    return f"/api/v1/tables/{table.public_id}/{rest}"


def send(table, position, text, **more):
    body = {"move_id": str(uuid4()), "expected_version": reread(table).version, "move": text}
    body |= more
    return client_of(seat_at(table, position).player).post(at(table, "moves/"), body, "json")


def test_the_lobby_lists_tables():
    table = make_table(name="Practice")

    answer = client_of(make_player()).get("/api/v1/tables/")

    assert answer.status_code == 200
    (row,) = answer.json()["results"]
    assert row["id"] == str(table.public_id)
    assert row["entry"] == {"minor": 100_00, "currency": "PTS", "text": "100 PTS"}


def test_seat_is_taken_once_and_left_over_the_api():
    table, player = make_table(seats_max=3), make_player()
    client = client_of(player)

    taken = client.post(at(table, "seats/"))
    refused = client.post(at(table, "seats/"))
    left = client.delete(at(table, "seats/mine/"))

    assert (taken.status_code, refused.status_code, left.status_code) == (201, 409, 204)
    assert taken.json()["seats"][0]["handle"] == player.handle
    assert taken.json()["me"]["hand"] == []
    assert refused.json()["code"] == "already_seated"
    assert client.get(at(table)).status_code == 404
    assert table.seats.present().count() == 0


def test_a_stranger_finds_no_private_view_and_makes_no_move(game_of_two):
    table = game_of_two
    stranger = client_of(make_player())
    body = {"move_id": str(uuid4()), "expected_version": table.version, "move": "ds"}

    answers = [
        stranger.get(at(table)),
        stranger.post(at(table, "moves/"), body, "json"),
        stranger.put(at(table, "groups/"), {"groups": "5H"}, "json"),
        stranger.delete(at(table, "seats/mine/")),
    ]

    assert [answer.status_code for answer in answers] == [404] * 4
    assert Move.objects.count() == 0
    public = stranger.get(at(table, "public/"))
    assert (public.status_code, public.json()["me"]) == (200, None)


def test_anonymous_viewers_see_public_cards_only(game_of_two):
    table = game_of_two

    assert APIClient().get(at(table, "public/")).status_code == 200
    assert APIClient().get(at(table)).status_code == 403
    assert APIClient().get("/api/v1/tables/").status_code == 403


@pytest.mark.parametrize(
    ("position", "text", "more", "code"),
    [
        (2, "ds", {}, "not_your_turn"),
        (1, "ds", {"expected_version": 0}, "stale_version"),
    ],
)
def test_refused_move_returns_its_code_and_the_current_view(
    position, text, more, code, game_of_two
):
    table = game_of_two

    answer = send(table, position, text, **more)

    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert answer.json()["view"]["version"] == table.version
    assert answer.json()["view"]["me"]["hand"] == hand_of(table, position)
    assert Move.objects.count() == 0


def test_repeated_move_id_returns_the_first_answer(game_of_two):
    table = game_of_two
    move_id = str(uuid4())
    first = send(table, 1, "ds", move_id=move_id).json()
    send(table, 1, f"x {first['me']['drawn']}")

    again = send(table, 1, "ds", move_id=move_id)
    conflict = send(table, 1, "drop", move_id=move_id)

    assert again.status_code == 200
    assert again.json() | {"server_now": None} == first | {"server_now": None}
    assert (conflict.status_code, conflict.json()["code"]) == (409, "move_id_conflict")
    assert Move.objects.count() == 2


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"move_id": "one", "expected_version": 1, "move": "ds"},
        {"move_id": str(uuid4()), "move": "ds"},
        {"move_id": str(uuid4()), "expected_version": 1, "window_id": str(uuid4()), "move": "ds"},
        {"move_id": str(uuid4()), "expected_version": -1, "move": "ds"},
        {"move_id": str(uuid4()), "expected_version": 1, "move": "ds" * 300},
    ],
)
def test_invalid_move_body_is_a_bad_request(body, game_of_two):
    table = game_of_two

    answer = client_of(seat_at(table, 1).player).post(at(table, "moves/"), body, "json")

    assert answer.status_code == 400
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

    answer = send(table, 1, "ds", **spelling)

    assert (answer.status_code, answer.json()["version"]) == (200, table.version + 1)
    assert answer.json()["me"]["hand"] == hand_of(table, 1)
    assert answer.json()["me"]["drawn"] == hand_of(table, 1)[-1]
    assert Move.objects.count() == 1


def test_groups_are_kept_and_foreign_cards_refused(game_of_two):
    table = game_of_two
    client, hand = client_of(seat_at(table, 1).player), hand_of(table, 1)
    foreign = other_than(hand)

    kept = client.put(at(table, "groups/"), {"groups": " ".join(hand[:3]).lower()}, "json")
    refused = client.put(at(table, "groups/"), {"groups": foreign}, "json")
    unreadable = client.put(at(table, "groups/"), {"groups": "aces"}, "json")

    assert kept.status_code == 204
    assert (refused.status_code, refused.json()["code"]) == (409, "bad_groups")
    assert (unreadable.status_code, unreadable.json()["code"]) == (409, "bad_groups")
    assert client.get(at(table)).json()["me"]["groups"] == [" ".join(hand[:3])]


@pytest.mark.extended
def test_answers_match_the_schema(game_of_two):
    import jsonschema
    from drf_spectacular.generators import SchemaGenerator

    table = game_of_two
    named = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    strict = {name: _strict(schema) for name, schema in named.items()}
    schema = {"$ref": "#/components/schemas/TableView", "components": {"schemas": strict}}

    for answer in (send(table, 1, "ds"), APIClient().get(at(table, "public/"))):
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
