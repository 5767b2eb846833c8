"""What version 1 of the API promises, as lines of text: operations, fields, values and codes.

    python -m tests.builders.api_versions

adds what is new to the record, `tests/docs/api_version_1.txt`, and refuses while anything of it is
missing. It is run before a release: what the record does not hold yet may still be changed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.builders.processes.product import CHECKOUT

RECORD: Final = CHECKOUT / "tests" / "docs" / "api_version_1.txt"
METHODS: Final = ("get", "put", "post", "delete", "patch")
HOW_TO_PROCEED: Final = """
Version 1 of the API loses nothing (docs/api.md, "Versions"), and programs are written for these
lines:
{lines}
Keep the old field, parameter or code and add the new one beside it. What cannot be kept goes into
/api/v2/; the old answer then carries Deprecation, Sunset and a Link for a year. Only what no
release has held may be taken out of tests/docs/api_version_1.txt, with a line in CHANGELOG.md.
"""


def promises() -> set[str]:
    """Return what the API promises now."""
    from core.api.description import JSON, description  # Django is set up by then.

    return {*lines(json.loads(description(JSON).body)), *_codes()}


def lines(schema: dict[str, Any]) -> Iterator[str]:
    """Yield a description's operations, then the fields of what is sent and answered."""
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                yield from _operation(f"{method.upper()} {path}", methods[method])
    for name, shape in schema["components"]["schemas"].items():
        required = shape.get("required", ())
        for value in shape.get("enum", ()):
            yield f"{name} has {value!r}"
        for field, kind in shape.get("properties", {}).items():
            yield f"{name}.{field}: {_kind(kind)}{_necessity(name, field in required)}"


def broken(recorded: Iterable[str], now: Iterable[str]) -> list[str]:
    """Return what breaks programs: recorded lines that are gone, and what is newly demanded."""
    old, present = set(recorded), set(now)
    known = {_owner(line) for line in old}
    demanded = {line for line in present - old if line.endswith(" demanded")}
    return sorted({*(old - present), *(line for line in demanded if _owner(line) in known)})


def recorded() -> set[str]:
    """Return the lines of the record."""
    return set(RECORD.read_text(encoding="utf-8").splitlines()) if RECORD.exists() else set()


def _operation(name: str, operation: dict[str, Any]) -> Iterator[str]:
    yield name
    for parameter in operation.get("parameters", ()):
        kind = _kind(parameter["schema"])
        must = " demanded" if parameter.get("required") else ""
        yield f"{name} takes {parameter['in']} {parameter['name']}: {kind}{must}"
    body = operation.get("requestBody", {})
    for media, content in body.get("content", {}).items():
        must = " demanded" if body.get("required") else ""
        yield f"{name} takes {media}: {_kind(content['schema'])}{must}"
    for status, answer in operation["responses"].items():
        contents = answer.get("content") or {"nothing": {}}
        for media, content in contents.items():
            yield f"{name} answers {status} {media}: {_kind(content.get('schema', {}))}"


def _kind(shape: dict[str, Any]) -> str:
    """Return a schema's type in a word or two; what is null at times says so."""
    if "$ref" in shape:
        return str(shape["$ref"].rpartition("/")[2])
    if "allOf" in shape or "oneOf" in shape:
        parts = shape.get("allOf") or shape["oneOf"]
        kind = " or ".join(sorted(filter(None, map(_kind, parts))))
    elif shape.get("type") == "array":
        kind = f"list of {_kind(shape.get('items', {}))}"
    elif shape.get("type") == "object" and isinstance(shape.get("additionalProperties"), dict):
        kind = f"object of {_kind(shape['additionalProperties'])}"
    else:
        kind = " ".join(filter(None, (shape.get("type", ""), shape.get("format", ""))))
    return f"{kind} or null" if shape.get("nullable") else kind


def _necessity(component: str, is_required: bool) -> str:
    if component.endswith("Request"):
        return " demanded" if is_required else ""
    return "" if is_required else " at times"


def _owner(line: str) -> str:
    """Return the operation or component that a line belongs to."""
    name, _, _rest = line.partition(" takes ")
    return name if _rest else line.partition(".")[0]


def _codes() -> Iterator[str]:
    """Yield the codes that the page of errors lists, each of which is there by its own test."""
    place = CHECKOUT / "docs" / "errors.py"
    spec = importlib.util.spec_from_file_location("errors", place)
    assert spec is not None
    assert spec.loader is not None
    errors = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(errors)
    known = errors.refusals()
    page = (place.parent / errors.PAGE).read_text(encoding="utf-8")
    for code, _words in errors.LISTED.findall(page):
        status = f": {int(known[code][0].status)}" if code in known else ""
        yield f"code {code}{status}"


def main() -> None:
    """Add what is new to the record."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
    import django

    django.setup()
    before, now = recorded(), promises()
    if missing := broken(before, now):
        sys.exit(HOW_TO_PROCEED.format(lines="\n".join(missing)))
    RECORD.write_text("\n".join(sorted(now)) + "\n", encoding="utf-8")
    sys.stdout.write(f"{RECORD.name}: {len(now)} lines, {len(now - before)} of them new\n")


if __name__ == "__main__":
    main()
