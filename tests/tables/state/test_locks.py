"""Rows are locked in one module for each model, and changed only where a lock is proven."""

import ast
import re
from pathlib import Path

import pytest

from tables.state.locks import lock_table

APPS = ("wallet", "tables", "tournaments", "finance", "staff")
LOCKERS = {
    "Table": "tables/state/locks.py",
    "Tournament": "tournaments/planning/locks.py",
    "Stake": "wallet/stakes/locks.py",
}


@pytest.mark.parametrize("model", LOCKERS)
def test_only_the_lock_functions_lock(model):
    locks = re.compile(
        rf"\b{model}\.objects\b[^\n]*\.locked\(|\b{model.lower()}s\.locked\(|\bLocked{model}\("
    )
    root = Path(__file__).parents[3]
    sources = [path for app in APPS for path in (root / app).rglob("*.py")]

    found = {str(path.relative_to(root)) for path in sources if locks.search(path.read_text())}

    assert found == {LOCKERS[model]}


def changed_unlocked(source, model):
    """Return the functions that set a field of an argument declared as the model."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = [*function.args.args, *function.args.kwonlyargs]
        rows = {
            argument.arg
            for argument in arguments
            if argument.annotation and ast.unparse(argument.annotation) == model
        }
        for node in ast.walk(function):
            is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            if is_set and isinstance(node.value, ast.Name) and node.value.id in rows:
                yield function.name


@pytest.mark.extended
@pytest.mark.parametrize("model", LOCKERS)
def test_a_function_that_changes_its_row_takes_a_locked_one(model):
    root = Path(__file__).parents[3]
    sources = {path: path.read_text() for app in APPS for path in (root / app).rglob("*.py")}
    assert len(sources) > 400
    example = f"def step(*, row: {model}):\n    row.status = 1\n"
    assert [*changed_unlocked(example, model)] == ["step"], "the search finds what it forbids"

    found = {
        str(path.relative_to(root)): set(changed_unlocked(sources[path], model)) for path in sources
    }

    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.django_db(transaction=True)
def test_a_lock_outside_of_a_transaction_is_a_mistake():
    with pytest.raises(AssertionError, match="locks need a transaction"):
        lock_table(0)
