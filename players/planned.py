"""Statements of the hot path, which PostgreSQL parses and plans once per connection.

Django puts values into the text of its queries, builds that text anew each time, and so has each of
them planned anew. A move and a push take a handful of fixed statements a hundred times a second;
those are written as SQL and sent with their values apart.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet

Kept = TypeVar("Kept", bound=Model)


class Planned:
    """One statement that answers rows, with `%s` for its values, in Django's own transaction."""

    def __init__(self, sql: str) -> None:
        self.sql: Final = sql

    def rows(self, *values: object) -> list[tuple[Any, ...]]:
        """Run it on Django's connection; its errors, wrappers and log of queries hold here too."""
        db: Any = connections[DEFAULT_DB_ALIAS]
        db.ensure_connection()
        if db.queries_logged or db.execute_wrappers:
            return self._rows_told_of(db, values)
        db.validate_no_broken_transaction()
        with db.wrap_database_errors:
            rows: list[tuple[Any, ...]] = _bare(db).execute(self.sql, values).fetchall()
        return rows

    def _rows_told_of(self, db: Any, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """Run it through Django's cursor; whoever wants to read the text is given the values."""
        with db.cursor() if db.queries_logged else db.make_cursor(_bare(db)) as cursor:
            cursor.execute(self.sql, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def one_trip(*asked: tuple[Planned, tuple[object, ...]]) -> list[list[tuple[Any, ...]]]:
    """Run statements one after the other, all sent before the first is answered; return all rows.

    Each sees what was committed before it began, as if the one before had been waited for.
    """
    db: Any = connections[DEFAULT_DB_ALIAS]
    db.ensure_connection()
    if db.queries_logged or db.execute_wrappers:
        return [statement.rows(*values) for statement, values in asked]
    db.validate_no_broken_transaction()
    cursors = [_bare(db) for _ in asked]
    with db.wrap_database_errors, db.connection.pipeline():
        for cursor, (statement, values) in zip(cursors, asked, strict=True):
            cursor.execute(statement.sql, values)
    return [cursor.fetchall() for cursor in cursors]


def _bare(db: Any) -> psycopg.Cursor[tuple[Any, ...]]:
    """Return a cursor that keeps values out of the text."""
    return psycopg.Cursor(db.connection)


def planned(queryset: QuerySet[Any, Any]) -> Planned:
    """Return a queryset's statement, for values in the order in which the queryset names them."""
    sql, _ = queryset.query.sql_with_params()
    return Planned(sql)


def columns(alias: str, model: type[Model]) -> str:
    """Return all columns of a model, in the order in which `kept` reads them."""
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def kept(model: type[Kept], values: tuple[Any, ...]) -> Kept:
    """Return a row of `columns` as Django would have loaded it."""
    return model.from_db(DEFAULT_DB_ALIAS, _names(model), values)


@cache
def _names(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]
