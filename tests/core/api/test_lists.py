"""Lists of the API have one shape."""

from __future__ import annotations

import json

from core.api.description import JSON, description


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
