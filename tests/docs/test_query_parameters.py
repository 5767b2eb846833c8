"""Every URL of the API refuses unknown and invalid query parameters and names them."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest
from rest_framework.views import APIView

from core.api.description import JSON, description
from tests.builders.processes.routes import routes
from tests.builders.tables.making import make_player

PATHS = json.loads(description(JSON).body)["paths"]
READ = [(path, methods["get"]) for path, methods in PATHS.items() if "get" in methods]
IN_PATHS = {"no": "1", "ply": "0", "code": "abc"}
KNOWN = [
    (path, parameter["name"], parameter["schema"])
    for path, get in READ
    for parameter in get.get("parameters", ())
    if parameter["in"] == "query" and parameter["name"] != "format"
]
# What each kind of value is not.
SENSELESS = {
    "integer": ["null", "-1", "1.5", "0x10", "１", "9" * 19],
    "date": ["null", "yesterday", "01/02/2026", "20260102", "2026-02-30", "2026-01-01T00:00"],
}

pytestmark = pytest.mark.django_db


def filled(path):
    return re.sub(r"\{(\w+)\}", lambda name: IN_PATHS.get(name[1], str(UUID(int=1))), path)


@pytest.fixture
def ask(client):
    client.force_login(make_player())

    def get(path, query):
        return client.get(f"{filled(path)}?{query}")

    return get


def test_every_address_that_reads_is_walked_here():
    found = {
        "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path)
        for path, view in routes()
        if issubclass(getattr(view, "cls", object), APIView) and hasattr(view.cls, "get")
    }

    assert {path for path in found if path.startswith("/api/v1/")} == {path for path, _ in READ}
    assert len(READ) > 30


def test_an_unknown_parameter_is_refused_and_named_everywhere(ask):
    for path, _get in READ:
        answer = ask(path, "form=2026-01-01")

        assert answer.status_code == 400, path
        refusal = answer.json()
        assert (refusal["code"], refusal["parameter"]) == ("unknown_parameter", "form"), path
        assert refusal["parameters"] == sorted(name for where, name, _ in KNOWN if where == path), (
            path
        )


@pytest.mark.extended
def test_a_blank_or_repeated_parameter_is_refused_and_named_everywhere(ask):
    assert len(KNOWN) > 20
    for path, name, schema in KNOWN:
        for query in (f"{name}=", f"{name}=%20", f"{name}=%00", f"{name}=1&{name}=1"):
            answer = ask(path, query)

            assert answer.status_code == 400, (path, query)
            refusal = answer.json()
            assert (refusal["code"], refusal["parameter"]) == ("bad_parameter", name), query
        if schema["type"] == "string" and "enum" not in schema:
            assert schema["minLength"] >= 1, (path, name)


@pytest.mark.extended
def test_a_value_of_another_kind_is_refused_everywhere(ask):
    kinds = {"integer": 0, "date": 0}
    for path, name, schema in KNOWN:
        kind = schema.get("format", schema["type"])
        for text in SENSELESS.get(kind, ()):
            answer = ask(path, f"{name}={text}")

            assert (answer.status_code, answer.json()["code"]) == (400, "bad_parameter"), text
            kinds[kind] += 1
    assert min(kinds.values()) > 20


def test_write_requests_refuse_query_parameters(client):
    client.force_login(make_player())

    answer = client.post("/api/v1/wallet/refill/?amount=10")

    assert (answer.status_code, answer.json()["parameter"]) == (400, "amount")


def test_descriptions_of_requests_state_which_texts_may_not_be_blank():
    schemas = json.loads(description(JSON).body)["components"]["schemas"]
    texts = {
        (name, field): schema
        for name, shape in schemas.items()
        if name.endswith("Request")
        for field, schema in shape["properties"].items()
        if schema.get("type") == "string"
        and "enum" not in schema
        and schema.get("format") in (None, "decimal")
    }

    blank = {key for key, schema in texts.items() if not schema.get("minLength")}
    assert len(texts) > 10
    # A grouping may be taken back.
    assert blank == {("GroupsRequest", "groups")}


def test_integers_in_minor_units_have_no_title_of_whole_amounts():
    schemas = json.loads(description(JSON).body)["components"]["schemas"]
    titles = {
        (name, field): schema.get("title")
        for name, shape in schemas.items()
        for field, schema in shape.get("properties", {}).items()
        if field.endswith("_minor")
    }

    assert len(titles) > 10
    assert set(titles.values()) == {None}


def test_every_operation_describes_its_refusals():
    for path, methods in PATHS.items():
        for method, operation in methods.items():
            said = operation["responses"]
            needed = {"400", "429"} | ({"404"} if "{" in path else set())
            if operation.get("security") == [{"financeToken": []}]:
                needed |= {"401", "403"}
            elif operation.get("security") == [{"cookieAuth": []}]:
                needed |= {"403"}
            assert needed <= said.keys(), (method, path)
            for status in needed:
                kinds = said[status]["content"].keys()
                assert kinds == {"application/problem+json"}, (method, path, status)
            assert "Retry-After" in said["429"]["headers"]
