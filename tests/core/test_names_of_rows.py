"""Texts for people contain no primary keys: refusals, actors, names of rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib import admin
from django.db import models

CHECKOUT = Path(__file__).parents[2]
APPS = ("core", "players", "wallet", "tables", "tournaments", "finance", "staff")
MODULES = [
    module
    for app in APPS
    for module in sorted((CHECKOUT / app).rglob("*.py"))
    if not {"migrations", "management"} & set(module.parts)
]


def is_key(node: ast.AST) -> bool:
    name = getattr(node, "attr", None) or getattr(node, "id", "")
    if not isinstance(node, ast.Attribute | ast.Name):
        return False
    return name == "pk" or (name.endswith("_id") and name != "public_id")


def keys_in(node: ast.AST) -> Iterator[str]:
    """Yield each key of a row that a text within the node is made of."""
    for part in ast.walk(node):
        if isinstance(part, ast.FormattedValue):
            yield from (ast.unparse(each) for each in ast.walk(part.value) if is_key(each))


def texts_of(module: Path) -> Iterator[tuple[int, ast.AST]]:
    """Yield what a module raises with words of its own, and whom it names as an actor."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield node.lineno, node.exc
        elif isinstance(node, ast.keyword) and node.arg in ("actor", "memo", "reason"):
            yield node.value.lineno, node.value


def test_no_refusal_memo_or_actor_names_a_row_by_its_key() -> None:
    named = [
        f"{module.relative_to(CHECKOUT)}:{line}: {key}"
        for module in MODULES
        for line, node in texts_of(module)
        for key in keys_in(node)
    ]

    assert len(MODULES) > 300
    assert named == []


def source_of_str(model: type[models.Model]) -> ast.AST | None:
    module = Path(__import__(model.__module__, fromlist=["_"]).__file__ or "")
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ClassDef) and node.name == model.__name__:
            return next(
                (each for each in node.body if getattr(each, "name", "") == "__str__"), None
            )
    return None


@pytest.mark.parametrize(
    "model",
    [model for model in admin.site._registry if model._meta.app_label in APPS],
    ids=lambda model: model._meta.label,
)
def test_no_row_of_the_admin_is_named_by_its_key(model: type[models.Model]) -> None:
    source = source_of_str(model)

    assert list(keys_in(source) if source else ()) == []
