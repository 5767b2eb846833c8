"""Code used by several test modules is in a builder or a fixture."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.mark.extended
def test_no_module_imports_a_test_module_or_a_conftest():
    found = [
        f"{file.relative_to(TESTS)}: {name}"
        for file in sorted(TESTS.rglob("*.py"))
        for name in _imported(ast.parse(file.read_text()))
        if name.startswith("tests.")
        and ("test_" in name or "conftest" in name)
        # It walks the tests themselves: which of them produces each kind of finding.
        and file.name != "test_audit_kinds.py"
    ]

    assert found == []


def _imported(module: ast.Module) -> list[str]:
    names = []
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names
