"""Which statements go to one place where tables are distributed, by the rules of ADR 9."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlglot
from django.db import connection
from sqlglot import exp

from core.db.schema import sql_of

PLACED = re.compile(r"\('(\w+)', (?:'(\w+)'|NULL)\)")
_LIST = sql_of("tables.models.distribution").partition("INSERT INTO placed")[2].partition(";")[0]
# By table: the column it is distributed by; None for one replicated to every node.
PLACES: dict[str, str | None] = {name: key or None for name, key in PLACED.findall(_LIST)}
KEYS = {name: key for name, key in PLACES.items() if key}
Scope = exp.Expression
# A table's alias in the query that names it.
Named = tuple[int, str]


@contextmanager
def statements_seen() -> Iterator[list[str]]:
    """Yield a list that fills with the statements of this connection, values left out."""
    seen: list[str] = []

    def see(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append(str(sql))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(see):
        yield seen


def unplaced(sql: str) -> str:
    """Return why a statement cannot be sent to one table's place; "" where it can."""
    if re.match(r"(SET|SELECT set_config|SAVEPOINT|RELEASE|ROLLBACK|BEGIN|COMMIT)\b", sql):
        return ""
    [tree] = sqlglot.parse(re.sub(r"%s", "$99", sql), read="postgres")
    assert tree is not None, sql
    tables = [t for t in tree.find_all(exp.Table) if t.name and not t.find_ancestor(exp.Lock)]
    if not any(table.name in KEYS for table in tables):
        return ""
    local = sorted({table.name for table in tables} - PLACES.keys())
    if local:
        return f"joins {', '.join(local)}, which lies elsewhere"
    if isinstance(tree, exp.Insert):
        named = {column.name for column in tree.this.expressions}
        return "" if KEYS[tree.this.this.name] in named else "inserts without the table's key"
    loose = _loose(tree)
    return f"names no table for {', '.join(sorted(loose))}" if loose else ""


def _loose(tree: exp.Expression) -> set[str]:
    """Return the distributed tables that nothing binds to the key of one table."""
    names = {_named(table): table.name for table in tree.find_all(exp.Table) if table.name in KEYS}
    bound: set[Named] = set()
    equal: list[tuple[Named, Named]] = []
    for test in tree.find_all(exp.EQ, exp.In):
        if not _must_hold(test):
            continue
        sides = [test.this, test.expression if isinstance(test, exp.EQ) else _only(test)]
        keys = [_key_of(side, names) for side in sides]
        match keys:
            case [(_, _) as one, (_, _) as other]:
                equal.append((one, other))
            case [(_, _) as one, None] if _is_value(sides[1]):
                bound.add(one)
            case [None, (_, _) as one] if _is_value(sides[0]):
                bound.add(one)
    while more := {
        named for pair in equal for named in pair if bound & {*pair} and named not in bound
    }:
        bound |= more
    return {name for named, name in names.items() if named not in bound}


def _scope(node: exp.Expression) -> Scope:
    found = node.find_ancestor(exp.Select, exp.Update, exp.Delete)
    assert found is not None
    return found


def _named(table: exp.Table) -> Named:
    return id(_scope(table)), table.alias_or_name


def _must_hold(test: exp.Expression) -> bool:
    """Return whether a query has no row for which the test does not hold."""
    above = test.parent
    while isinstance(above, exp.And | exp.Paren):
        above = above.parent
    return isinstance(above, exp.Where | exp.Join)


def _only(test: exp.In) -> exp.Expression | None:
    return test.expressions[0] if len(test.expressions) == 1 else None


def _key_of(side: exp.Expression | None, names: dict[Named, str]) -> Named | None:
    """Return the table whose key of distribution this column is."""
    side = side.unnest() if side is not None else None
    if not isinstance(side, exp.Column):
        return None
    scope: exp.Expression | None = _scope(side)
    while scope is not None:
        here = [named for named in names if named[0] == id(scope)]
        for named in here:
            is_meant = side.table == named[1] or (not side.table and len(here) == 1)
            if is_meant and KEYS[names[named]] == side.name:
                return named
        scope = scope.find_ancestor(exp.Select, exp.Update, exp.Delete)
    return None


def _is_value(side: exp.Expression | None) -> bool:
    return side is not None and not any(side.find_all(exp.Column, exp.Select))
