"""Statements of the hot path, which PostgreSQL parses and plans once per connection.

Django builds the text of its queries with their parameters each time, so PostgreSQL plans each of
them again. Moves and views run a few fixed statements hundreds of times a second; these are written
as SQL and sent with separate parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState

from core import tracing
from core.db.pipeline import COMMIT, Rows, run_pipeline
from core.db.replica import reading_connection

Row = TypeVar("Row", bound=Model)
Key = TypeVar("Key")


class Statement:
    """A statement that returns rows, with `%s` for its values, run in Django's transaction."""

    def __init__(self, sql: str) -> None:
        self.sql: Final = sql
        first, *others = sql.split("%s")
        numbered = (f"${number}{text}" for number, text in enumerate(others, start=1))
        self.text: Final = "".join((first, *numbered)).encode()

    def rows(self, *values: object) -> Rows:
        """Run the statement on Django's connection and return its rows; see `execute_pipeline`."""
        (rows,) = execute_pipeline((self, values))
        return rows


# A statement and its parameters.
Query = tuple[Statement, tuple[object, ...]]

_COMMIT: Final = Statement(COMMIT.decode())


def execute_pipeline(*asked: Query) -> list[Rows]:
    """Send statements together, run them in order and return all rows.

    Each statement sees all data committed before it began. Django's errors, execute wrappers and
    query log apply here too.
    """
    return _run(_connected(), asked)


def commit_pipeline(*asked: Query) -> list[Rows]:
    """Run the last statements of a transaction and commit it in the same trip; return all rows.

    Django's block that ends afterwards has nothing left to commit and runs its on-commit functions.
    Inside another block the outer block commits.
    """
    db = _connected()
    if db.savepoint_ids or not db.in_atomic_block:
        return _run(db, asked)
    *rows, _ = _run(db, (*asked, (_COMMIT, ())))
    return rows


def _connected() -> Any:
    db = connections[DEFAULT_DB_ALIAS]
    if db.connection is None:
        db.ensure_connection()
    return db


def _run(db: Any, asked: Sequence[Query]) -> list[Rows]:
    db.validate_no_broken_transaction()
    if db.queries_logged or db.execute_wrappers:
        for statement, values in asked:
            _show(db, statement.sql, values)
    with db.wrap_database_errors, tracing.span("pipeline", statements=len(asked)) as span:
        if span is not None:
            texts = "; ".join(statement.sql for statement, _ in asked)
            span.set_attributes({"db.system": "postgresql", "db.statement": texts})
        return run_pipeline(
            db.connection, [(statement.text, values) for statement, values in asked]
        )


def _show(db: Any, sql: str, values: tuple[object, ...]) -> None:
    """Pass a statement to wrappers and the query log before it is sent.

    If a wrapper raises, the pipeline is not sent.
    """
    run: Callable[..., object] = _log if db.queries_logged else _nothing
    for wrapper in reversed(db.execute_wrappers):
        run = partial(wrapper, run)
    run(sql, values, False, {"connection": db, "cursor": None})


def _nothing(sql: str, values: tuple[object, ...], many: bool, context: dict[str, Any]) -> None:
    """Do nothing: the pipeline is sent after all its statements were passed to the wrappers."""


def _log(sql: str, values: tuple[object, ...], many: bool, context: dict[str, Any]) -> None:
    shown = sql % tuple(map(repr, values))
    context["connection"].queries_log.append({"sql": shown, "time": "0.000"})


def statement_of(queryset: QuerySet[Any, Any]) -> Statement:
    """Return a queryset's statement; its values come in the queryset's order."""
    sql, _ = queryset.query.sql_with_params()
    return Statement(sql)


class CompiledQuery(Generic[Key]):
    """A queryset about one key, whose SQL is built once: Django takes milliseconds to do so.

    `values_of` returns the values by which the queryset names its key; `stand_in_for` returns a key
    whose values occur nowhere else in it, with as many values as the given one. `rows` reads from
    the database of the present block (`core.db.replica`).
    """

    def __init__(
        self,
        queryset_of: Callable[[Key], QuerySet[Any, Any]],
        values_of: Callable[[Key], Sequence[Any]],
        stand_in_for: Callable[[Key], Key],
    ) -> None:
        self._queryset_of, self._values_of = queryset_of, values_of
        self._stand_in_for = stand_in_for
        # By the number of values: the SQL, and for each of its values its place in `values_of`,
        # or the value itself.
        self._compiled: dict[int, tuple[str, list[tuple[int | None, Any]]]] = {}

    def rows(self, key: Key) -> Rows:
        """Return the rows of the queryset for this key, as tuples of the queryset's columns."""
        own = self._values_of(key)
        sql, values = self._compiled.get(len(own)) or self._compile(key)
        with reading_connection().cursor() as cursor:
            cursor.execute(sql, [each if at is None else own[at] for at, each in values])
            rows: Rows = cursor.fetchall()
        return rows

    def _compile(self, key: Key) -> tuple[str, list[tuple[int | None, Any]]]:
        stand_in = self._stand_in_for(key)
        places = {value: at for at, value in enumerate(self._values_of(stand_in))}
        sql, values = self._queryset_of(stand_in).query.sql_with_params()
        compiled = (sql, [(places.get(value), value) for value in values])
        self._compiled[len(places)] = compiled
        return compiled


# A primary key that no row has.
STAND_IN: Final = -(2**31) + 1


def compiled_by_key(queryset_of: Callable[[int], QuerySet[Any, Any]]) -> CompiledQuery[int]:
    """Return the compiled query of a queryset about one primary key."""
    return CompiledQuery(queryset_of, lambda key: (key,), lambda key: STAND_IN)


def columns(alias: str, model: type[Model]) -> str:
    """Return all columns of a model in the order of `model_from_row`."""
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def model_from_row(
    model: type[Row],
    values: Sequence[Any],
    names: Sequence[str] | None = None,
    **related: Model | None,
) -> Row:
    """Return a row of `columns` as a model instance, without the signals of `__init__`.

    `names` are the attributes of the values if they are not all columns; Django reads the others on
    their first use. `related` has the known rows of its foreign keys. The constructor would take
    three times as long, and no code here receives its signals.
    """
    row = model.__new__(model)
    row.__dict__.update(zip(names or _names(model), values, strict=True))
    row._state = ModelState()
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    row._state.fields_cache = related
    return row


@cache
def _names(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]
