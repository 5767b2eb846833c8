"""Run prepared statements on PostgreSQL in one network round trip.

psycopg's own pipeline writes to the socket after each statement, which wakes client and server
several times per trip. This one sends all messages together and waits for all results together.
A statement is prepared once per connection, named by a hash of its text, with the types PostgreSQL
infers for its parameters; a rollback does not discard it. Behind a pooler each transaction may use
another server connection: unless the pooler prepares missing statements there (the option
`pooler_prepares`), statements are sent unnamed and parsed each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from datetime import UTC
from typing import Any, Final

import psycopg
from psycopg import errors, generators, pq
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.types.datetime import TimestamptzLoader

Rows = list[tuple[Any, ...]]
# A statement with `$1`, `$2`, ... as placeholders, and its parameters.
Asked = tuple[bytes, Sequence[object]]

BEGIN: Final = b"BEGIN"
COMMIT: Final = b"COMMIT"
# The PostgreSQL function that rejects a prepared statement whose result columns have changed.
_REVALIDATES: Final = "RevalidateCachedQuery"
# The error for a set-returning function whose row type has changed.
_MATCHES: Final = "tupledesc_match"


def run_pipeline(connection: psycopg.Connection[Any], asked: Sequence[Asked]) -> list[Rows]:
    """Run statements in order in one network round trip; return their rows.

    Each statement sees all data committed before it began. The first one that fails raises
    psycopg's error and no later one runs. Unless the connection is in autocommit, a transaction is
    begun.
    """
    begins = not connection.autocommit and (
        connection.pgconn.transaction_status == pq.TransactionStatus.IDLE
    )
    known = _known(connection)
    try:
        return _trip(connection, asked, known, begins=begins)
    except psycopg.Error as error:
        if not _is_outdated(error):
            raise
        known.are_outdated = True
        if not begins and not connection.autocommit:
            raise psycopg.OperationalError("the schema has changed meanwhile; try again") from error
    # The transaction consists of this trip only, so it can be repeated.
    connection.rollback()
    return _trip(connection, asked, known, begins=begins)


def _is_outdated(error: psycopg.Error) -> bool:
    """Return whether a prepared statement is outdated, missing or a duplicate."""
    if isinstance(error, errors.FeatureNotSupported):
        return error.diag.source_function == _REVALIDATES
    if isinstance(error, errors.DatatypeMismatch):
        return error.diag.source_function == _MATCHES
    return isinstance(error, (errors.InvalidSqlStatementName, errors.DuplicatePreparedStatement))


def _trip(
    connection: psycopg.Connection[Any],
    asked: Sequence[Asked],
    known: _Statements,
    *,
    begins: bool,
) -> list[Rows]:
    if known.are_outdated:
        known.forget_all()
    sent = [(known.of(text), known.dumped(values)) for text, values in asked]
    if begins:
        sent.insert(0, (known.of(_beginning(connection)), ()))
    with connection.lock:
        *answers, end = _answered(connection, sent, prepares=known.prepares)
    rows = [
        statement.rows_of(results, known)
        for (statement, _), results in zip(sent, answers, strict=True)
    ]
    for result in end:
        _refuse(result, known)
    return rows[1:] if begins else rows


def _refuse(result: pq.abc.PGresult, known: _Statements) -> None:
    if result.status == pq.ExecStatus.FATAL_ERROR:
        error = errors.error_from_result(result, encoding=known.connection.info.encoding)
        # Without an SQLSTATE the error is the client's: the connection is lost.
        raise error if error.sqlstate else psycopg.OperationalError(str(error))


def _beginning(connection: psycopg.Connection[Any]) -> bytes:
    level = connection.isolation_level
    return (
        BEGIN
        if level is None
        else BEGIN + f" ISOLATION LEVEL {level.name}".replace("_", " ").encode()
    )


class _Adapting:
    """A connection's adapters with psycopg's compiled loader of timestamps.

    Django's Python loader only replaces the time zone, which is UTC already on such a connection.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.adapters = AdaptersMap(connection.adapters)
        if connection.info.timezone == UTC:
            self.adapters.register_loader("timestamptz", TimestamptzLoader)


class _Statement:
    """A statement on one connection."""

    def __init__(self, text: bytes, name: bytes, adapting: _Adapting) -> None:
        self.text, self.name = text, name
        self.is_prepared = False
        self._loading: Any = Transformer(adapting)
        self._knows_columns = False

    def rows_of(self, results: Sequence[pq.abc.PGresult], known: _Statements) -> Rows:
        """Return the rows; the first execution has two results: preparing and executing."""
        for result in results:
            _refuse(result, known)
        result = results[-1]
        if result.status != pq.ExecStatus.TUPLES_OK:
            # COMMIT of a failed transaction is a rollback, which PostgreSQL reports as its status.
            if self.text == COMMIT and result.command_status != COMMIT:
                raise errors.InFailedSqlTransaction("the transaction was not committed")
            return []
        # A prepared statement's columns never change.
        self._loading.set_pgresult(result, set_loaders=not self._knows_columns)
        self._knows_columns = self.is_prepared
        rows: Rows = self._loading.load_rows(0, result.ntuples, tuple)
        return rows


class _Statements:
    """The prepared statements of one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._dumping = Transformer(connection)
        self._adapting = _Adapting(connection)
        self._by_text: dict[bytes, _Statement] = {}
        # Behind a pooler the server process differs from the connection's.
        [pid] = self._column(b"SELECT pg_backend_pid()")
        self._is_pooled = pid != b"%d" % connection.pgconn.backend_pid
        self.prepares = not self._is_pooled or vars(connection).get("pooler_prepares", False)
        self.are_outdated = False

    def of(self, text: bytes) -> _Statement:
        found = self._by_text.get(text)
        if found is None:
            name = b"planned_" + hashlib.sha256(text).hexdigest()[:32].encode()
            found = self._by_text[text] = _Statement(text, name, self._adapting)
        return found

    def forget_all(self) -> None:
        """Discard all prepared statements; each is prepared again on its next use.

        Behind a pooler none is discarded: outdated ones stay on the pooler's server connections.
        """
        if self._is_pooled:
            self.prepares = False
        else:
            self._column(b"DEALLOCATE ALL")
        self._by_text.clear()
        self.are_outdated = False

    def _column(self, text: bytes) -> list[bytes | None]:
        """Return the first column of a statement's row, in any transaction state."""
        with self.connection.lock:
            result = self.connection.pgconn.exec_(text)
        _refuse(result, self)
        return [result.get_value(row, 0) for row in range(result.ntuples)]

    def dumped(self, values: Sequence[object]) -> Sequence[Any]:
        return self._dumping.dump_sequence(values, (PyFormat.TEXT,) * len(values))


def _known(connection: psycopg.Connection[Any]) -> _Statements:
    # Stored on the connection and discarded with it.
    known: _Statements | None = vars(connection).get("planned_statements")
    if known is None:
        known = vars(connection)["planned_statements"] = _Statements(connection)
    return known


def _answered(
    connection: psycopg.Connection[Any],
    sent: Sequence[tuple[_Statement, Sequence[Any]]],
    *,
    prepares: bool,
) -> list[list[pq.abc.PGresult]]:
    pgconn = connection.pgconn
    pgconn.enter_pipeline_mode()
    try:
        counts = []
        for statement, values in sent:
            if not prepares:
                counts.append(1)
                pgconn.send_query_params(statement.text, values)
                continue
            counts.append(1 if statement.is_prepared else 2)
            if not statement.is_prepared:
                pgconn.send_prepare(statement.name, statement.text)
                statement.is_prepared = True
            pgconn.send_query_prepared(statement.name, values)
        pgconn.pipeline_sync()
        answers = connection.wait(_answers(pgconn, counts))
    except BaseException:
        pgconn.finish()  # Otherwise its remaining results would be read as those of a later trip.
        raise
    pgconn.exit_pipeline_mode()
    for (statement, _), results in zip(sent, answers, strict=False):
        if len(results) == 2 and results[0].status != pq.ExecStatus.COMMAND_OK:
            statement.is_prepared = False
            # The pooler has recorded the name although the server did not prepare the statement.
            statement.name += b"_"
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
    # Outside a transaction the sync commits, which may fail.
    end: list[pq.abc.PGresult] = []
    while not end or end[-1].status != pq.ExecStatus.PIPELINE_SYNC:
        end += yield from generators.fetch_many(pgconn)
    answers.append(end)
    return answers
