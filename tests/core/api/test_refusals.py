"""Refusals of the API: unknown paths, unusable bodies, an unavailable database."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.urls import reverse

from core.api.description import JSON, description
from finance.reports.catalogue import SCOPES
from players.eligibility.break_models import Break
from players.eligibility.breaks import take_break
from tables.models.deals import Move
from tests.builders.books.tokens import valid_token
from tests.builders.tables.making import make_game, make_table
from tests.builders.tables.playing import seat_at
from tests.builders.wallet.players import make_player


@pytest.mark.django_db
def test_missing_row_has_a_code_and_does_not_name_its_model(client, django_user_model):
    client.force_login(django_user_model.objects.create_user(handle="asha", email="a@example.com"))

    response = client.get("/api/v1/tables/0198a7f0-0000-7000-8000-000000000000/")

    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json() == {
        "type": "urn:problem-type:rummy:not_found",
        "title": "Not Found",
        "status": 404,
        "detail": "Not found.",
        "code": "not_found",
        "message": "Not found.",
    }


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("[" * 100_000, 400, "parse_error"),
        ("{", 400, "parse_error"),
        ('{"move": "ds", "move": "dd"}', 400, "doubled_name"),
        ('{"move": {"a": 1, "a": 1}}', 400, "doubled_name"),
        ('{"expected_version": NaN}', 400, "parse_error"),
        ('"' + "x" * 3_000_000 + '"', 413, "body_too_large"),
        ("{}", 400, "invalid"),
    ],
)
def test_unusable_body_is_refused_with_a_code(client, body, status, code):
    table = make_game()
    client.force_login(seat_at(table, 1).player)
    address = f"/api/v1/tables/{table.public_id}/moves/"

    response = client.post(address, body, content_type="application/json")

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert not Move.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rest", "body", "field"),
    [
        ("seats/", r'{"code": "\u0000"}', "code"),  # A field of this name is no code of a refusal.
        (f"windows/{UUID(int=1)}/answer/", r'{"answer": "\ud800"}', "answer"),  # Quoted back.
    ],
)
def test_unusable_field_is_named(client, rest, body, field):
    table = make_game()
    client.force_login(seat_at(table, 1).player)
    address = f"/api/v1/tables/{table.public_id}/{rest}"

    response = client.post(address, body, content_type="application/json")

    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert list(response.json()["errors"]) == [field]


@pytest.mark.django_db
def test_description_lists_all_fields_of_refusals(client):
    described = json.loads(description(JSON).body)["components"]["schemas"]["Problem"]["properties"]
    table = make_game()
    player = seat_at(table, 1).player
    client.force_login(player)
    waiting = make_table()
    take_break(player=player, kind=Break.Kind.COOL_OFF, length=timedelta(days=7))
    answers = [
        client.post(f"/api/v1/tables/{table.public_id}/moves/", "{}", "application/json"),
        client.get("/api/v1/tables/?x=1"),
        client.post(f"/api/v1/tables/{waiting.public_id}/seats/", "{}", "application/json"),
    ]

    refused = [answer.json() for answer in answers]

    assert [one["code"] for one in refused] == ["invalid", "unknown_parameter", "cooling_off"]
    assert [[name for name in one if name not in described] for one in refused] == [[], [], []]
    assert {"errors"} <= refused[0].keys()
    assert {"since", "until"} <= refused[2].keys()


@pytest.mark.django_db
@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
@pytest.mark.parametrize("address", ["api-wallet", "finance-journal", "api-deposits", "wallet"])
def test_unavailable_database_answers_503_with_retry_after(client, error, address):
    text = valid_token(*SCOPES)
    client.force_login(make_player())
    client.raise_request_exception = False

    def away(execute, sql, params, many, context):
        raise error("connection to server at secret.example failed")

    with connection.execute_wrapper(away):
        headers = {"Authorization": f"Bearer {text}"} if "finance" in address else {}
        answer = client.get(reverse(address), headers=headers)

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert b"secret" not in answer.content
    if answer.headers["Content-Type"] == "application/problem+json":
        assert answer.json()["code"] == "unavailable"
    else:
        assert address == "wallet"


def test_every_list_has_results_and_the_next_page() -> None:
    described = json.loads(description(JSON).body)
    lists = 0

    for path, methods in described["paths"].items():
        answers = methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        shape = answers.get(JSON, {}).get("schema", {})
        if "$ref" in shape:
            shape = described["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
        assert shape.get("type") != "array", path
        fields = shape.get("properties", {})
        assert not fields.keys() & {"rows", "page", "after", "before"}, path
        if "results" in fields and "next" in fields:
            lists += 1
            assert {"results", "next"} <= {*shape["required"]}, path

    assert lists > 25
