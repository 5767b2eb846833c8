"""Planted faults: small wrong changes of the product, each of which some test must catch.

`faults/APP.toml` describes those of one app, `faults/drawn-APP.toml` those that
`python -m tests.planted.drawing` has drawn. A fault names a function and a fragment of its text,
and no module: it stays valid when code moves.

    name      what goes wrong, unique among all faults
    kind      sign, boundary, missing lock, wrong bucket, skipped refusal, …
    function  a Python function of the app, `Class.method` or `outer.inner` where that helps to read
    sql       instead of `function`: a function of the app's SQL
    old, new  the fragment and what it becomes; any run of spaces stands for any other

Several functions may have the name; exactly one of them contains the fragment, once.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
DESCRIPTIONS: Final = Path(__file__).with_name("faults")


class NotPlantedError(Exception):
    """The fragment is not in exactly one function of that name."""


@dataclass(frozen=True, slots=True)
class Fault:
    app: str
    name: str
    kind: str
    function: str
    is_sql: bool
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fault goes: a span of characters of a file, and the lines of its statement."""

    path: Path
    start: int
    end: int
    lines: range


def load(folder: Path = DESCRIPTIONS) -> list[Fault]:
    """Return all faults, by app and in the order they are written."""
    found = []
    for described in sorted(folder.glob("*.toml")):
        for one in tomllib.loads(described.read_text())["fault"]:
            is_sql = "sql" in one
            function = one.pop("sql") if is_sql else one.pop("function")
            app = described.stem.removeprefix("drawn-")
            found.append(Fault(app, function=function, is_sql=is_sql, **one))
    return found


def place_of(fault: Fault, root: Path = CHECKOUT) -> Place:
    """Return where the fault goes in the checkout; raise `NotPlantedError` unless it is one place.

    SQL that migrations hold as a copy is left out.
    """
    places = list(_places(fault, root))
    if len(places) != 1:
        raise NotPlantedError(f"{fault.app}: {fault.name} fits {len(places)} places")
    return places[0]


def plant(fault: Fault, root: Path) -> dict[Path, str]:
    """Change the files of a checkout; return what they held, by path."""
    places = [place_of(fault, root)]
    if fault.is_sql:
        places += _places(fault, root, in_migrations=True)
    before = {}
    for place in places:
        text = before[place.path] = place.path.read_text()
        place.path.write_text(text[: place.start] + fault.new + text[place.end :])
    return before


def _places(fault: Fault, root: Path, *, in_migrations: bool = False) -> Iterator[Place]:
    pattern = re.compile(r"\s+".join(map(re.escape, fault.old.split())))
    for path in sorted((root / fault.app).rglob("*.sql" if fault.is_sql else "*.py")):
        if ("migrations" in path.parts) != in_migrations:
            continue
        text = path.read_text()
        if not pattern.search(text):
            continue
        functions = _sql_functions if fault.is_sql else _python_functions
        for start, end in functions(text, fault.function):
            for match in pattern.finditer(text, start, end):
                lines = range(0) if fault.is_sql else _statement(text, match.start())
                yield Place(path, match.start(), match.end(), lines)


def _python_functions(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the functions of a module that have this name, or end in it."""
    starts = _line_starts(text)

    def walk(node: ast.AST, outer: str) -> Iterator[tuple[int, int]]:
        for child in ast.iter_child_nodes(node):
            inner = outer
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{outer}.{child.name}"
            if inner.endswith(f".{name}") and not isinstance(child, ast.ClassDef):
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    assert child.end_lineno is not None, "parsed from text"
                    yield starts[child.lineno - 1], starts[child.end_lineno]
                continue
            yield from walk(child, inner)

    yield from walk(ast.parse(text), "")


def _sql_functions(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the functions of this name; bodies are quoted by `$$` throughout."""
    begun = re.compile(rf"^CREATE (?:OR REPLACE )?FUNCTION {re.escape(name)}\(", re.MULTILINE)
    for match in begun.finditer(text):
        opened = text.index("$$", match.end())
        yield match.start(), text.index("$$", opened + 2)


def _statement(text: str, at: int) -> range:
    """Return the lines of the innermost statement at a character, without the block it opens."""
    line = text.count("\n", 0, at) + 1
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or 0):
            continue
        block = getattr(node, "body", None)
        last = block[0].lineno - 1 if block else node.end_lineno or line
        if node.lineno <= line <= max(last, node.lineno):
            found = range(node.lineno, max(last, node.lineno) + 1)
    return found


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
