"""Statements of the hot path, which PostgreSQL parses and plans once per connection.

Django puts values into the text of its queries, builds that text anew each time, and so has each of
them planned anew. A move and a push take a handful of fixed statements a hundred times a second;
those are written as SQL and sent with their values apart.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet

Kept = TypeVar("Kept", bound=Model)


class Planned:
    """One statement that answers rows, with `%s` for its values, in Django's own transaction."""

    def __init__(self, sql: str) -> None:
        self.sql: Final = sql

    def rows(self, *values: object) -> list[tuple[Any, ...]]:
        """Run it on Django's connection; its errors, wrappers and log of queries hold here too."""
        with _cursor() as cursor:
            cursor.execute(self.sql, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def one_trip(*asked: tuple[Planned, tuple[object, ...]]) -> list[list[tuple[Any, ...]]]:
    """Run statements one after the other, all sent before the first is answered; return all rows.

    Each sees what was committed before it began, as if the one before had been waited for.
    """
    connection.ensure_connection()
    if connection.queries_logged or connection.execute_wrappers:
        return [statement.rows(*values) for statement, values in asked]
    cursors = [_cursor() for _ in asked]
    with connection.wrap_database_errors, connection.connection.pipeline():
        for cursor, (statement, values) in zip(cursors, asked, strict=True):
            cursor.execute(statement.sql, values)
    return [cursor.fetchall() for cursor in cursors]


def _cursor() -> Any:
    """Return a cursor that keeps values out of the text, unless somebody wants to read the text."""
    connection.ensure_connection()
    if connection.queries_logged:
        return connection.cursor()
    bare: Any = psycopg.Cursor(connection.connection)
    return connection.make_cursor(bare)


def planned(queryset: QuerySet[Any, Any]) -> Planned:
    """Return a queryset's statement, for values in the order in which the queryset names them."""
    sql, _ = queryset.query.sql_with_params()
    return Planned(sql)


def columns(alias: str, model: type[Model]) -> str:
    """Return all columns of a model, in the order in which `kept` reads them."""
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def kept(model: type[Kept], values: tuple[Any, ...]) -> Kept:
    """Return a row of `columns` as Django would have loaded it."""
    names = [field.attname for field in model._meta.concrete_fields]
    return model.from_db(DEFAULT_DB_ALIAS, names, values)
