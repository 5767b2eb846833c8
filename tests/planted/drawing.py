"""Draw planted faults by chance: `python -m tests.planted.drawing`.

    python -m tests.planted.drawing [--each 28] [--seed N]

Operators like those of mutation testing change one comparison, sign, condition, constant or step of
a function, at most one in each. Only what moves cards and money is drawn from: services, rules and
queries, not pages, texts and admin. `faults/drawn-APP.toml` is written again; a fault that fits no
single place is not drawn.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from tests.planted.faults import CHECKOUT, DESCRIPTIONS, Fault, NotPlantedError, load, place_of

APPS: Final = ("rummy", "wallet", "tables", "tournaments", "finance")
# Modules and packages that decide nothing about cards and money.
LEFT_OUT: Final = re.compile(
    r"(^|/)(admin|\w+_admin|api|\w+_api|pages|\w+_pages?|forms|schemas|urls|apps|models|\w+_models"
    r"|texts?|\w+_text|descriptions?|labels|notifications|exceptions|migrations|management"
    r"|command_line|templatetags|learning|numbers|lesson|rule_text|view|desk|support|pdf)(/|\.py|$)"
)
COMPARISONS: Final = {
    ast.Lt: ("<", "<=", "boundary"),
    ast.LtE: ("<=", "<", "boundary"),
    ast.Gt: (">", ">=", "boundary"),
    ast.GtE: (">=", ">", "boundary"),
    ast.Eq: ("==", "!=", "condition"),
    ast.NotEq: ("!=", "==", "condition"),
    ast.In: ("in", "not in", "condition"),
    ast.NotIn: ("not in", "in", "condition"),
    ast.Is: ("is", "is not", "condition"),
    ast.IsNot: ("is not", "is", "condition"),
}
ARITHMETIC: Final = {
    ast.Add: ("+", "-", "sign"),
    ast.Sub: ("-", "+", "sign"),
    ast.Mult: ("*", "//", "sign"),
    ast.FloorDiv: ("//", "*", "rounding"),
}
CONDITIONS: Final = {ast.And: ("and", "or", "condition"), ast.Or: ("or", "and", "condition")}
CALLS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class Change(NamedTuple):
    """A span of a module's text, what it becomes, and the kind of fault."""

    start: int
    end: int
    new: str
    kind: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.planted.drawing", description=__doc__)
    parser.add_argument("--each", type=int, default=28, help="faults of each app")
    parser.add_argument("--seed", default="42")
    options = parser.parse_args()
    known = {fault.function for fault in load() if not fault.name.startswith("drawn-")}
    for app in APPS:
        drawn = draw(app, options.each, Random(f"{options.seed} {app}"), but=known)
        (DESCRIPTIONS / f"drawn-{app}.toml").write_text(_toml(app, drawn))
        print(f"{app}: {len(drawn)}")  # noqa: T201
    return 0


def draw(
    app: str, number: int, chance: Random, *, but: set[str], root: Path = CHECKOUT
) -> list[Fault]:
    """Return so many faults of an app, of as many functions; `but` are functions left out."""
    functions = list(_functions(app))
    chance.shuffle(functions)
    found: list[Fault] = []
    for path, text, function in functions:
        changes = list(_changes(function, text))
        if function.name in but or function.name.startswith("__") or not changes:
            continue
        change = chance.choice(changes)
        name = f"drawn-{app}-{len(found) + 1:02}-{function.name.strip('_')}"
        fault = _described(
            Fault(app, name, change.kind, function.name, is_sql=False, old="", new=""), text, change
        )
        if fault is not None and place_of(fault).path == path:
            found.append(fault)
        if len(found) == number:
            break
    return found


def _functions(app: str) -> Iterator[tuple[Path, str, FUNCTIONS]]:
    for path in sorted((CHECKOUT / app).rglob("*.py")):
        if LEFT_OUT.search(path.relative_to(CHECKOUT / app).as_posix()):
            continue
        text = path.read_text()
        if text.isascii():  # Python counts columns in bytes.
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, FUNCTIONS):
                    yield path, text, node


def _changes(function: FUNCTIONS, text: str) -> Iterator[Change]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        first, last = node.lineno - 1, (node.end_lineno or 0) - 1
        return starts[first] + node.col_offset, starts[last] + (node.end_col_offset or 0)

    def operator(left: ast.AST, right: ast.AST, change: tuple[str, str, str]) -> Iterator[Change]:
        old, new, kind = change
        begin, end = span(left)[1], span(right)[0]
        if text[begin:end].strip() == old:
            at = text.index(old, begin)
            yield Change(at, at + len(old), new, kind)

    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                yield from operator(node.left, node.comparators[0], COMPARISONS[type(node.ops[0])])
            elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
                yield from operator(node.left, node.right, ARITHMETIC[type(node.op)])
            elif isinstance(node, ast.BoolOp):
                yield from operator(*node.values[:2], CONDITIONS[type(node.op)])
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                yield Change(span(node)[0], span(node)[0] + len("not "), "", "condition")
            elif isinstance(node, ast.Constant) and type(node.value) is int:
                yield Change(*span(node), str(node.value + 1), "boundary")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in CALLS:
                    yield Change(*span(node.func), CALLS[node.func.id], "sign")
            elif isinstance(node, ast.Raise):
                yield Change(*span(node), "pass", "skipped refusal")
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                yield Change(*span(node), "pass", "skipped step")


def _described(fault: Fault, text: str, change: Change) -> Fault | None:
    """Return the fault with its line or else its changed part as the fragment, or None."""
    try:
        ast.parse(text[: change.start] + change.new + text[change.end :])
    except SyntaxError:
        return None
    line_start = text.rfind("\n", 0, change.start) + 1
    line_end = text.find("\n", change.end)
    if "\n" in text[change.start : change.end] or '"""' in text[line_start:line_end]:
        return None
    for first, last in ((line_start, line_end), (change.start, change.end)):
        old = text[first:last].strip()
        begin = text.index(old, first)
        new = text[begin : change.start] + change.new + text[change.end : begin + len(old)]
        found = replace(fault, old=old, new=new)
        try:
            place_of(found)
        except NotPlantedError:
            continue
        return found
    return None


def _toml(app: str, faults: list[Fault]) -> str:
    lines = [f"# Faults of {app}, drawn by `python -m tests.planted.drawing`."]
    for fault in faults:
        lines += ["", "[[fault]]"]
        for name in ("name", "kind", "function", "old", "new"):
            lines.append(f"{name} = {json.dumps(getattr(fault, name))}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
