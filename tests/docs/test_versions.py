"""Version 1 of the API loses nothing of what it has promised."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders.api_versions import HOW_TO_PROCEED, broken, lines, promises, recorded

Schema = dict[str, Any]
SCHEMA: Schema = {
    "paths": {
        "/api/v1/tables/": {
            "get": {
                "parameters": [{"in": "query", "name": "game", "schema": {"type": "string"}}],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Row"}}
                        }
                    }
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Row": {
                "properties": {
                    "entry": {"type": "integer"},
                    "limit": {"type": "integer", "nullable": True},
                },
                "required": ["entry"],
            },
            "SeatRequest": {"properties": {"code": {"type": "string"}}},
            "GameEnum": {"type": "string", "enum": ["pool", "deals"]},
        }
    },
}


def test_version_1_loses_nothing() -> None:
    lost = broken(recorded(), promises())

    assert not lost, HOW_TO_PROCEED.format(lines="\n".join(lost))


def test_the_record_holds_all_four_kinds_of_promises() -> None:
    held = recorded()

    assert "POST /api/v1/tables/{table_id}/moves/" in held
    assert "TableView.deadline: string date-time or null" in held
    assert "GameEnum has 'pool'" in held
    assert "code stale_version: 409" in held


def _part(schema: Schema, name: str) -> Schema:
    part: Schema = schema["components"]["schemas"][name]
    return part


def _operation(schema: Schema) -> Schema:
    operation: Schema = schema["paths"]["/api/v1/tables/"]["get"]
    return operation


BREAKING: dict[str, tuple[Callable[[Schema], object], str]] = {
    "an operation goes": (
        lambda schema: schema["paths"].clear(),
        "GET /api/v1/tables/",
    ),
    "a field goes": (
        lambda schema: _part(schema, "Row")["properties"].pop("entry"),
        "Row.entry: integer",
    ),
    "a field changes its type": (
        lambda schema: _part(schema, "Row")["properties"]["entry"].update(type="string"),
        "Row.entry: integer",
    ),
    "a field is null at times": (
        lambda schema: _part(schema, "Row")["properties"]["entry"].update(nullable=True),
        "Row.entry: integer",
    ),
    "a field is missing at times": (
        lambda schema: _part(schema, "Row")["required"].clear(),
        "Row.entry: integer",
    ),
    "a value goes": (
        lambda schema: _part(schema, "GameEnum")["enum"].remove("deals"),
        "GameEnum has 'deals'",
    ),
    "a parameter goes": (
        lambda schema: _operation(schema)["parameters"].clear(),
        "GET /api/v1/tables/ takes query game: string",
    ),
    "a parameter is demanded": (
        lambda schema: _operation(schema)["parameters"].append(
            {"in": "query", "name": "seats", "schema": {"type": "integer"}, "required": True}
        ),
        "GET /api/v1/tables/ takes query seats: integer demanded",
    ),
    "a field is demanded": (
        lambda schema: _part(schema, "SeatRequest").update(required=["code"]),
        "SeatRequest.code: string",
    ),
}


@pytest.mark.parametrize("change", BREAKING)
def test_what_breaks_programs_is_named(change: str) -> None:
    changed = copy.deepcopy(SCHEMA)
    make, line = BREAKING[change]
    make(changed)

    assert line in broken(lines(SCHEMA), lines(changed))


def test_what_is_added_breaks_nobody() -> None:
    changed = copy.deepcopy(SCHEMA)
    _part(changed, "Row")["properties"]["name"] = {"type": "string"}
    _part(changed, "SeatRequest")["properties"]["stack"] = {"type": "integer"}
    _part(changed, "GameEnum")["enum"].append("points")
    changed["paths"]["/api/v1/games/"] = changed["paths"]["/api/v1/tables/"]
    changed["components"]["schemas"]["NewRequest"] = {
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    _operation(changed)["parameters"].append(
        {"in": "query", "name": "seats", "schema": {"type": "integer"}}
    )

    assert broken(lines(SCHEMA), lines(changed)) == []
