"""The pages of the API list every error code and every URL of the code."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator

from core.exceptions import Refusal
from tests.builders.processes.product import CHECKOUT

PAGE = (CHECKOUT / "docs" / "api.md").read_text()
# What the framework and `core.api.refusals` answer with.
OF_THE_API = {
    "invalid",
    "parse_error",
    "doubled_name",
    "not_authenticated",
    "bad_token",
    "permission_denied",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "body_too_large",
    "length_required",
    "unsupported_media_type",
    "unknown_parameter",
    "bad_parameter",
    "throttled",
    "server_error",
    "unavailable",
}
RULES = CHECKOUT / "rummy"
# Codes that reading a move may refuse with besides those of playing it.
OF_NOTATION = {"bad_card", "bad_move", "no_finish_card"}


def illegal_moves() -> set[str]:
    """Every code the rules raise `IllegalMove` with, read from their source."""
    found = set()
    for path in RULES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "IllegalMove":
                (first, *_) = node.args
                if isinstance(first, ast.Constant):
                    found.add(str(first.value))
    return found


@pytest.fixture(scope="module")
def errors() -> ModuleType:
    spec = importlib.util.spec_from_file_location("errors", CHECKOUT / "docs" / "errors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def listed(errors: ModuleType) -> list[tuple[str, int]]:
    """Every code of the page of errors, with the status it is said to have."""
    page = (CHECKOUT / "docs" / errors.PAGE).read_text(encoding="utf-8")
    rows = re.findall(r"^- `(\w+)` \((\d{3})\): [A-Z`]", errors.filled(page), re.MULTILINE)
    assert len(rows) == len(re.findall(r"^- `", page, re.MULTILINE))
    return [(code, int(status)) for code, status in rows]


def test_every_code_is_listed_once_with_its_status_and_no_other(errors: ModuleType) -> None:
    refusals = {code: kinds[0].status for code, kinds in errors.refusals().items()}
    moves = dict.fromkeys(illegal_moves() | OF_NOTATION, 409)

    shown = listed(errors)

    assert moves.items() <= set(shown)
    assert refusals.items() <= set(shown)
    assert sorted(code for code, _ in shown) == sorted({*moves, *refusals, *OF_THE_API})


def test_refusals_of_one_code_have_one_status(errors: ModuleType) -> None:
    statuses = {
        code: {int(kind.status) for kind in kinds} for code, kinds in errors.refusals().items()
    }

    assert [code for code, found in statuses.items() if len(found) > 1] == []


def test_every_refusal_is_defined_in_a_module_of_exceptions(errors: ModuleType) -> None:
    get_resolver().url_patterns  # noqa: B018  # Every module that answers is loaded now.
    kinds_listed = {kind for kinds in errors.refusals().values() for kind in kinds}

    def below(base: type[Refusal]) -> Iterator[type[Refusal]]:
        for kind in base.__subclasses__():
            yield kind
            yield from below(kind)

    elsewhere = {kind for kind in below(Refusal) if not kind.__module__.endswith(".exceptions")}
    assert kinds_listed
    assert elsewhere == set()


def test_page_lists_every_address_of_a_table() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    paths = [path.removeprefix("/api/v1/") for path in schema["paths"] if "/tables/" in path]
    shown = re.sub(r"\{\w+\}", "{}", PAGE)

    missing = [path for path in paths if re.sub(r"\{\w+\}", "{}", path) not in shown]

    assert [path for path in missing if "rounds" not in path] == []


def test_example_client_has_fewer_than_200_lines() -> None:
    source = Path(CHECKOUT / "docs" / "examples" / "bot_client.py").read_text()

    assert len(source.splitlines()) < 200
