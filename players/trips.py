"""Prepared statements sent to PostgreSQL in one network trip, and the rows they bring back.

psycopg's own pipeline goes to the socket after each statement, so that client and server wake each
other several times a trip. Here all messages leave together and all answers are awaited together.
A statement is prepared once per connection, with the types PostgreSQL infers for its values, and a
transaction that is rolled back forgets none.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import UTC
from typing import Any, Final

import psycopg
from psycopg import errors, generators, pq
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.types.datetime import TimestamptzLoader

Rows = list[tuple[Any, ...]]
# A statement with `$1` for its values, and the values.
Asked = tuple[bytes, Sequence[object]]

BEGIN: Final = b"BEGIN"
COMMIT: Final[Asked] = (b"COMMIT", ())
# The statement is not what it was when it was prepared: a table has changed, a pooler lost it.
_OUTDATED: Final = (errors.FeatureNotSupported, errors.InvalidSqlStatementName)


def take_trip(connection: psycopg.Connection[Any], asked: Sequence[Asked]) -> list[Rows]:
    """Run statements one after the other, all sent before the first is answered; return their rows.

    Each sees what was committed before it began. The first to fail raises psycopg's error, and none
    after it has run. A transaction is begun on the way if the connection is to have one.
    """
    begins = not connection.autocommit and (
        connection.pgconn.transaction_status == pq.TransactionStatus.IDLE
    )
    known = _known(connection)
    sent = [(known.of(text), known.dumped(values)) for text, values in asked]
    if begins:
        sent.insert(0, (known.of(_beginning(connection)), ()))
    with connection.lock:
        *answers, end = _answered(connection, sent)
    rows = [
        statement.rows_of(results, known)
        for (statement, _), results in zip(sent, answers, strict=True)
    ]
    for result in end:
        _refuse(result, known)
    return rows[1:] if begins else rows


def _refuse(result: pq.abc.PGresult, known: _Statements) -> None:
    if result.status == pq.ExecStatus.FATAL_ERROR:
        raise errors.error_from_result(result, encoding=known.connection.info.encoding)


def _beginning(connection: psycopg.Connection[Any]) -> bytes:
    level = connection.isolation_level
    return (
        BEGIN
        if level is None
        else BEGIN + f" ISOLATION LEVEL {level.name}".replace("_", " ").encode()
    )


class _Adapting:
    """How a connection's values are read: as Django has it, but with psycopg's compiled reader of
    times. Django's own, in Python, only names UTC as what a connection in UTC has told already.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.adapters = AdaptersMap(connection.adapters)
        if connection.info.timezone == UTC:
            self.adapters.register_loader("timestamptz", TimestamptzLoader)


class _Statement:
    """One statement as one connection knows it."""

    def __init__(self, text: bytes, name: bytes, adapting: _Adapting) -> None:
        self.text, self.name = text, name
        self.is_prepared = False
        self._loading: Any = Transformer(adapting)
        self._knows_columns = False

    def rows_of(self, results: Sequence[pq.abc.PGresult], known: _Statements) -> Rows:
        """Read the answer; a statement sent for the first time is answered twice."""
        try:
            for result in results:
                _refuse(result, known)
        except _OUTDATED:
            known.forget(self)
            raise
        result = results[-1]
        if result.status != pq.ExecStatus.TUPLES_OK:
            # A transaction that had failed before answers a COMMIT by rolling back.
            if self.text == COMMIT[0] and result.command_status != COMMIT[0]:
                raise errors.InFailedSqlTransaction("the transaction was not committed")
            return []
        # A prepared statement's columns are the same each time.
        self._loading.set_pgresult(result, set_loaders=not self._knows_columns)
        self._knows_columns = True
        rows: Rows = self._loading.load_rows(0, result.ntuples, tuple)
        return rows


class _Statements:
    """What one connection has prepared."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._dumping = Transformer(connection)
        self._adapting = _Adapting(connection)
        self._by_text: dict[bytes, _Statement] = {}
        self._named = 0

    def of(self, text: bytes) -> _Statement:
        found = self._by_text.get(text)
        if found is None:
            self._named += 1
            name = b"planned_%d" % self._named
            found = self._by_text[text] = _Statement(text, name, self._adapting)
        return found

    def forget(self, statement: _Statement) -> None:
        """Have it prepared anew, under another name, when it is asked for again."""
        self._by_text.pop(statement.text, None)

    def dumped(self, values: Sequence[object]) -> Sequence[Any]:
        return self._dumping.dump_sequence(values, (PyFormat.TEXT,) * len(values))


def _known(connection: psycopg.Connection[Any]) -> _Statements:
    # Kept by the connection itself, and gone with it.
    known: _Statements | None = vars(connection).get("planned_statements")
    if known is None:
        known = vars(connection)["planned_statements"] = _Statements(connection)
    return known


def _answered(
    connection: psycopg.Connection[Any], sent: Sequence[tuple[_Statement, Sequence[Any]]]
) -> list[list[pq.abc.PGresult]]:
    pgconn = connection.pgconn
    pgconn.enter_pipeline_mode()
    try:
        counts = []
        for statement, values in sent:
            counts.append(1 if statement.is_prepared else 2)
            if not statement.is_prepared:
                pgconn.send_prepare(statement.name, statement.text)
                statement.is_prepared = True
            pgconn.send_query_prepared(statement.name, values)
        pgconn.pipeline_sync()
        answers = connection.wait(_answers(pgconn, counts))
    except BaseException:
        pgconn.finish()  # What it still has to say would answer somebody else's question.
        raise
    pgconn.exit_pipeline_mode()
    for (statement, _), results in zip(sent, answers, strict=False):
        if len(results) == 2:
            statement.is_prepared = results[0].status == pq.ExecStatus.COMMAND_OK
    return answers


def _answers(
    pgconn: Any, counts: Sequence[int]
) -> Generator[Any, Any, list[list[pq.abc.PGresult]]]:
    yield from generators.send(pgconn)
    answers: list[list[pq.abc.PGresult]] = []
    for count in counts:
        results: list[pq.abc.PGresult] = []
        for _ in range(count):
            results += yield from generators.fetch_many(pgconn)
        answers.append(results)
    # Outside of a transaction the end of the trip is a commit, which may be refused.
    end: list[pq.abc.PGresult] = []
    while not end or end[-1].status != pq.ExecStatus.PIPELINE_SYNC:
        end += yield from generators.fetch_many(pgconn)
    answers.append(end)
    return answers
