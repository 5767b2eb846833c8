"""Unknown fields in the body of an API request are refused and named."""

from __future__ import annotations

import json
import re
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework import serializers

from core.api.body_fields import NO_FIELDS, known_fields, refuse_unknown_fields
from core.api.description import JSON, description
from core.exceptions import UnknownField
from finance.matching.models import GatewayFile
from finance.reports.catalogue import SCOPES
from tables.models.deals import Move
from tables.models.seats import Seat
from tests.builders.books.tokens import valid_token
from tests.builders.people.sessions import prove
from tests.builders.processes.routes import routes
from tests.builders.tables.deals import drop_out
from tests.builders.tables.making import make_game, make_player, make_table
from tests.builders.tables.playing import seat_at
from tests.builders.tournaments.tournaments import make_tournament

PATHS = json.loads(description(JSON).body)["paths"]
WRITES = [
    (method, path, operation)
    for path, methods in PATHS.items()
    for method, operation in methods.items()
    if method != "get"
]
UNKNOWN = "no_such_field"

pytestmark = pytest.mark.django_db


@pytest.fixture
def table():
    return drop_out(make_game(players=2)).table


@pytest.fixture
def send(client, table):
    """Send a body to an operation, as a seated player or with a finance token."""
    client.force_login(seat_at(table, 1).player)
    prove(client)
    text = valid_token(*SCOPES, "close-days")
    ids = {"table_id": table.public_id, "tournament_id": make_tournament().public_id, "no": 1}

    def call(method, path, operation, body):
        address = re.sub(r"\{(\w+)\}", lambda name: str(ids.get(name[1], UUID(int=1))), path)
        headers = {"Idempotency-Key": str(uuid4())}
        if path.startswith("/api/v1/finance/"):
            headers["Authorization"] = f"Bearer {text}"
        content = operation.get("requestBody", {}).get("content", {JSON: None})
        if "multipart/form-data" in content:
            file = SimpleUploadedFile("statement.csv", b"date,text,amount\n")
            return client.post(address, body | {"file": file}, headers=headers)
        return client.generic(method, address, json.dumps(body), JSON, headers=headers)

    return call


def test_every_operation_refuses_an_unknown_field_and_names_it(send):
    def rows():
        return [model.objects.count() for model in (Move, Seat, GatewayFile)]

    before = rows()
    for method, path, operation in WRITES:
        answer = send(method, path, operation, {UNKNOWN: 1})

        assert answer.status_code == 400, (method, path, answer.content)
        assert answer["Content-Type"] == "application/problem+json", path
        refusal = answer.json()
        assert (refusal["code"], refusal["field"]) == ("unknown_field", UNKNOWN), (method, path)
        if path.endswith("/moves/"):
            assert refusal["fields"] == ["expected_version", "move", "move_id", "window_id"]
    assert rows() == before
    assert len(WRITES) > 30


def test_every_operation_that_takes_a_body_describes_its_fields():
    known = {
        ("/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path), method): known_fields(
            view.cls, method.upper()
        )
        for path, view in routes()
        for method in ("post", "put", "patch")
        if hasattr(getattr(view, "cls", None), method) and path.startswith("api/v1/")
    }
    described = {(path, method) for method, path, operation in WRITES if "requestBody" in operation}

    assert {key for key, fields in known.items() if fields} == described
    assert None not in known.values()
    assert len(described) > 15


@pytest.mark.parametrize("body", [{"amount": 500}, {"amount_minor": 500_00}])
def test_chunked_body_without_length_is_refused(client, body):
    table = make_table()
    client.force_login(make_player())
    chunked = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}

    answer = client.post(f"/api/v1/tables/{table.public_id}/seats/", body, JSON, **chunked)

    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")
    assert not Seat.objects.exists()


@pytest.mark.parametrize("name", ["\ud800", "\x00", "x" * 500], ids=["surrogate", "nul", "long"])
def test_unprintable_field_name_is_escaped_and_truncated(client, name):
    client.force_login(make_player())
    prove(client)

    answer = client.post("/api/v1/wallet/payees/", json.dumps({name: 1}), JSON)

    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_field")
    assert len(answer.json()["field"]) <= 60


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b"[]", b"not JSON"])
def test_body_without_fields_is_accepted_where_none_are_read(client, table, body):
    client.force_login(seat_at(table, 1).player)

    answer = client.post(f"/api/v1/tables/{table.public_id}/ready/", body, JSON)

    assert answer.status_code == 200


class Part(serializers.Serializer):
    number = serializers.IntegerField()
    facts = serializers.JSONField()


class Whole(serializers.Serializer):
    part = Part()
    parts = Part(many=True)
    notes = serializers.ListField(child=serializers.CharField())


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"other": 1}, "other"),
        ({"part": {"number": 1, "nubmer": 2}}, "part.nubmer"),
        ({"parts": [{"number": 1}, {"colour": 2}]}, "parts.1.colour"),
        ({"part": {"facts": {"anything": 1}}, "notes": ["a"]}, None),
        ([1], None),
        ("text", None),
    ],
)
def test_fields_of_inner_objects_are_named_by_their_path(monkeypatch, body, field):
    monkeypatch.setattr("core.api.body_fields._described", lambda view, method: Whole)
    known = known_fields(type("View", (), {}), "POST")
    assert known is not NO_FIELDS

    if field is None:
        assert refuse_unknown_fields(body, known) is None
    else:
        with pytest.raises(UnknownField) as refused:
            refuse_unknown_fields(body, known)
        assert refused.value.details["field"] == field
