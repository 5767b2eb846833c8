"""The API's description is generated once and has names that client generators need."""

import json

import pytest
from drf_spectacular.checks import schema_check
from drf_spectacular.generators import SchemaGenerator

from core.api.description import JSON, description

PATH = "/api/schema/"
WAYS = [
    "",
    "?version=%00",
    "?version=2",
    "?lang=hi",
    "?lang=%00",
    "?format=%00",
    "?format=xml",
    "?x=1",
    "?format=json&version=x",
    "?format=json&format=yaml",
]


@pytest.fixture
def _nothing_is_worked_out(monkeypatch):
    description(JSON)

    def refuse(*_arguments, **_more):
        raise AssertionError("worked out anew")

    monkeypatch.setattr(SchemaGenerator, "get_schema", refuse)


@pytest.mark.usefixtures("_nothing_is_worked_out")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "headers",
    [{}, {"Accept": "text/html"}, {"Accept": ";;,,"}, {"Accept-Language": "hi"}],
    ids=["plain", "html", "garbage", "hindi"],
)
def test_no_request_generates_another_description(client, way, headers):
    answers = [client.get(f"{PATH}{way}", headers=headers) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content == answers[1].content
    kinds = {b"o": "application/vnd.oai.openapi", b"{": "application/json"}
    assert answers[0]["Content-Type"] == kinds[answers[0].content[:1]]


@pytest.mark.usefixtures("_nothing_is_worked_out")
def test_description_is_served_as_json_and_revalidated(client):
    by_name = client.get(PATH, {"format": "json"})
    by_header = client.get(PATH, headers={"Accept": "application/json"})

    assert by_name.content == by_header.content
    assert json.loads(by_name.content)["info"]["title"] == "Pool Rummy"
    again = client.get(PATH, {"format": "json"}, headers={"If-None-Match": by_name["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert by_name["Cache-Control"] == "public, max-age=300"
    assert client.get(PATH)["ETag"] != by_name["ETag"]
    assert client.post(PATH).status_code == 405


def test_all_parts_of_the_description_have_unique_names():
    assert schema_check(None) == []


def test_operations_have_unique_names_and_shapes_have_names():
    document = json.loads(description(JSON).body)
    names = [
        operation["operationId"]
        for path in document["paths"].values()
        for operation in path.values()
    ]
    generic = ("_retrieve", "_create", "_update", "_destroy", "_list")

    assert [name for name in names if name.endswith(generic)] == []
    assert len(names) == len(set(names)) > 60
    assert '"type": "object", "properties"' not in json.dumps(document["paths"])


def test_no_component_is_named_like_the_parameters_of_an_operation():
    """Generators name what an operation takes `OperationRequest`."""
    document = json.loads(description(JSON).body)
    operations = {
        f"{operation['operationId']}_request".replace("_", "")
        for path in document["paths"].values()
        for operation in path.values()
    }
    components = document["components"]["schemas"]

    assert [name for name in components if name.lower() in operations] == []
    assert len({name.lower() for name in components}) == len(components) > 100
    assert len(operations) > 60


def test_no_text_is_described_as_a_choice_between_two_kinds_of_text():
    """Generators make a class of its own of each, with no way to give it a text."""
    components = json.loads(description(JSON).body)["components"]["schemas"]
    fields = [
        (name, field, shape)
        for name, component in components.items()
        for field, shape in component.get("properties", {}).items()
    ]

    assert len(fields) > 500
    assert [(name, field) for name, field, shape in fields if "oneOf" in shape] == []
    enums = {name for name, component in components.items() if "enum" in component}
    assert [
        (name, field)
        for name, field, shape in fields
        for part in shape.get("allOf", ())
        if part.get("$ref", "").rpartition("/")[2] in enums
        and "default" in shape
        and shape["default"] not in components[part["$ref"].rpartition("/")[2]]["enum"]
    ] == []


def test_every_member_of_an_enumeration_has_a_name():
    components = json.loads(description(JSON).body)["components"]["schemas"]
    enums = {name: shape["enum"] for name, shape in components.items() if "enum" in shape}

    assert len(enums) > 10
    assert [name for name, members in enums.items() if {"", None} & {*members}] == []
