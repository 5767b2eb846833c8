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
from django.db.models.base import ModelState

from core.db.trips import COMMIT, Rows, take_trip

Kept = TypeVar("Kept", bound=Model)


class Planned:
    """One statement that answers rows, with `%s` for its values, in Django's own transaction."""

    def __init__(self, sql: str) -> None:
        self.sql: Final = sql
        first, *others = sql.split("%s")
        numbered = (f"${number}{text}" for number, text in enumerate(others, start=1))
        self.text: Final = "".join((first, *numbered)).encode()

    def rows(self, *values: object) -> Rows:
        """Run it on Django's connection; its errors, wrappers and log of queries hold here too."""
        (rows,) = one_trip((self, values))
        return rows

    def last_rows(self, *values: object) -> Rows:
        """Run it as the last statement of the transaction, which is committed on the same trip.

        Django's block that ends afterwards finds nothing left to commit, and runs what is to follow
        the commit. Inside of another block the commit is that one's.
        """
        db = _connected()
        if _is_watched(db) or db.savepoint_ids or not db.in_atomic_block:
            return self.rows(*values)
        db.validate_no_broken_transaction()
        with db.wrap_database_errors:
            rows, _ = take_trip(db.connection, [(self.text, values), COMMIT])
        return rows

    def rows_told_of(self, db: Any, values: tuple[object, ...]) -> Rows:
        """Run it through Django's cursor; whoever wants to read the text is given the values."""
        bare = psycopg.Cursor(db.connection)
        with db.cursor() if db.queries_logged else db.make_cursor(bare) as cursor:
            cursor.execute(self.sql, values)
            rows: Rows = cursor.fetchall()
        return rows


def one_trip(*asked: tuple[Planned, tuple[object, ...]]) -> list[Rows]:
    """Run statements one after the other, all sent before the first is answered; return all rows.

    Each sees what was committed before it began, as if the one before had been waited for.
    """
    db = _connected()
    if _is_watched(db):
        return [statement.rows_told_of(db, values) for statement, values in asked]
    db.validate_no_broken_transaction()
    with db.wrap_database_errors:
        return take_trip(db.connection, [(statement.text, values) for statement, values in asked])


def _connected() -> Any:
    db = connections[DEFAULT_DB_ALIAS]
    db.ensure_connection()
    return db


def _is_watched(db: Any) -> bool:
    """Say whether somebody wants to hear of each statement."""
    return bool(db.queries_logged or db.execute_wrappers)


def planned(queryset: QuerySet[Any, Any]) -> Planned:
    """Return a queryset's statement, for values in the order in which the queryset names them."""
    sql, _ = queryset.query.sql_with_params()
    return Planned(sql)


def columns(alias: str, model: type[Model]) -> str:
    """Return all columns of a model, in the order in which `kept` reads them."""
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def kept(model: type[Kept], values: tuple[Any, ...]) -> Kept:
    """Return a row of `columns` as Django would have loaded it, but for the signals of `__init__`.

    To go through the constructor would cost three times as much, and nothing here listens.
    """
    row = model.__new__(model)
    row.__dict__.update(zip(_names(model), values, strict=True))
    row._state = ModelState()
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    return row


@cache
def _names(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]
