"""Every public function of the rules shows an example, and pytest runs them all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rummy

ROOT = Path(rummy.__file__).parent
# Bots and environments are shown in the README.
WITHOUT = {"bots", "learning"}
MODULES = sorted(path for path in ROOT.rglob("*.py") if not WITHOUT & set(path.parts))
assert len(MODULES) > 40
UNSHOWN = {"property", "cached_property", "overload"}
TYPES = (ast.FunctionDef, ast.ClassDef)


def unshown(body: list[ast.stmt], inside: str = "") -> list[str]:
    """Public functions and methods without an example; protocols need none, nor does UNSHOWN."""
    found = []
    for node in body:
        if not isinstance(node, TYPES) or node.name.startswith("_"):
            continue
        name = f"{inside}{node.name}"
        if isinstance(node, ast.ClassDef):
            if any("Protocol" in ast.unparse(base) for base in node.bases):
                continue
            found += unshown(node.body, f"{name}.")
        elif not any(ast.unparse(mark) in UNSHOWN for mark in node.decorator_list):
            found += [] if ">>> " in (ast.get_docstring(node) or "") else [name]
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.stem))
def test_every_public_function_shows_an_example(module: Path) -> None:
    assert unshown(ast.parse(module.read_text(encoding="utf-8")).body) == []
