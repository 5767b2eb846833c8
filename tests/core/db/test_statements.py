"""Prepared statements: several in one network round trip, including the commit."""

import psycopg
import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core.db.statements import Statement, commit_pipeline, execute_pipeline

pytestmark = pytest.mark.django_db(transaction=True)

ADD = Statement("INSERT INTO pg_temp.leaf (id, branch) VALUES (%s, %s) RETURNING id")
COUNT = Statement("SELECT count(*) FROM pg_temp.leaf")
PREPARED = "SELECT statement, name FROM pg_prepared_statements"


@pytest.fixture(autouse=True)
def tree(owner):
    """Tables of this connection alone; that a leaf has its branch is looked at by the commit."""
    with owner(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE branch (id int PRIMARY KEY)")
        cursor.execute(
            "CREATE TEMP TABLE leaf (id int PRIMARY KEY, branch int"
            " REFERENCES branch DEFERRABLE INITIALLY DEFERRED)"
        )
        cursor.execute("INSERT INTO branch VALUES (1)")
        cursor.execute("GRANT ALL ON branch, leaf TO rummy_app")
    yield
    connection.close()


def rows_of(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def is_idle():
    return connection.connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_last_statement_commits_and_callbacks_run_after_the_block():
    received = []

    with transaction.atomic(durable=True):
        transaction.on_commit(lambda: received.append("committed"))
        ADD.rows(1, 1)
        assert not is_idle()
        assert commit_pipeline((ADD, (2, 1)), (COUNT, ())) == [[(2,)], [(2,)]]
        assert is_idle()
        assert received == []

    assert received == ["committed"]
    assert COUNT.rows() == [(2,)]


def test_single_statement_raises_the_error_of_its_commit():
    with pytest.raises(IntegrityError, match="leaf_branch_fkey"):
        ADD.rows(1, 9)

    assert is_idle()
    assert COUNT.rows() == [(0,)]


@pytest.mark.parametrize("wrong", [(1, 1), (2, 9)], ids=["the statement", "the commit"])
def test_failure_of_the_last_trip_is_rolled_back(wrong):
    received = []

    @transaction.atomic(durable=True)
    def add_two():
        transaction.on_commit(lambda: received.append("committed"))
        ADD.rows(1, 1)
        commit_pipeline((ADD, wrong))

    with pytest.raises(IntegrityError):
        add_two()

    assert (received, COUNT.rows()) == ([], [(0,)])


def test_nested_block_does_not_commit():
    with transaction.atomic():
        with transaction.atomic():
            commit_pipeline((ADD, (1, 1)))
        assert not is_idle()
        transaction.set_rollback(True)

    assert COUNT.rows() == [(0,)]


def test_wrappers_and_log_receive_each_statement_before_it_is_sent():
    received = []

    def listen(execute, sql, params, many, context):
        received.append((sql, params))
        return execute(sql, params, many, context)

    logged = CaptureQueriesContext(connection)
    with connection.execute_wrapper(listen), logged, transaction.atomic():
        assert commit_pipeline((ADD, (1, 1)), (COUNT, ())) == [[(1,)], [(1,)]]
        assert is_idle()

    shown = [(ADD.sql, (1, 1)), (COUNT.sql, ()), ("COMMIT", ())]
    assert received[-3:] == shown
    texts = [query["sql"] for query in logged]
    assert [text for text in texts if "leaf" in text] == [ADD.sql % (1, 1), COUNT.sql]


def test_pipeline_stopped_by_a_wrapper_sends_nothing():
    def stop(execute, sql, params, many, context):
        if sql == COUNT.sql:
            raise OperationalError("stopped")
        return execute(sql, params, many, context)

    stopped = pytest.raises(OperationalError, match="stopped")
    with connection.execute_wrapper(stop), stopped, transaction.atomic():
        commit_pipeline((ADD, (1, 1)), (COUNT, ()))

    assert COUNT.rows() == [(0,)]


def test_transaction_begins_at_the_isolation_level_of_its_connection():
    connection.ensure_connection()
    connection.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    with transaction.atomic():
        assert Statement("SHOW transaction_isolation").rows() == [("repeatable read",)]


def test_no_statement_runs_after_a_failed_one():
    with pytest.raises(IntegrityError), transaction.atomic():
        execute_pipeline((ADD, (1, 1)), (ADD, (1, 1)), (ADD, (2, 1)))

    assert execute_pipeline((COUNT, ()), (ADD, (3, 1)), (COUNT, ())) == [[(0,)], [(3,)], [(1,)]]


def test_statements_are_prepared_once_and_kept_after_a_rollback():
    ADD.rows(1, 1)
    with transaction.atomic():
        ADD.rows(2, None)
        transaction.set_rollback(True)
    before = sorted(rows_of(PREPARED))

    ADD.rows(70_000, 1)

    assert before == sorted(rows_of(PREPARED))
    assert [text for text, _ in before if "leaf" in text] == [ADD.text.decode()]


def test_statement_is_prepared_again_after_its_table_changed(owner):
    whole = Statement("SELECT * FROM pg_temp.leaf WHERE id = %s")
    ADD.rows(1, 1)
    assert whole.rows(1) == [(1, 1)]
    with owner(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE leaf ADD COLUMN colour text DEFAULT 'green'")

    assert whole.rows(1) == [(1, 1, "green")]
    with transaction.atomic():
        assert whole.rows(1) == [(1, 1, "green")]


def test_transaction_on_a_changed_table_can_be_repeated(owner):
    whole = Statement("SELECT * FROM pg_temp.leaf")
    assert whole.rows() == []

    @transaction.atomic
    def work():
        COUNT.rows()
        return whole.rows()

    with owner(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE leaf ADD COLUMN colour text")
    with pytest.raises(OperationalError, match="try again"):
        work()

    assert work() == []


def test_deallocated_statements_are_prepared_again():
    ADD.rows(1, 1)
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")

    assert ADD.rows(2, 1) == [(2,)]
    assert COUNT.rows() == [(2,)]


def test_statement_has_the_same_unique_name_on_every_connection():
    first, second = Statement("SELECT %s::int"), Statement("SELECT %s::int + 1")
    assert (first.rows(1), second.rows(1)) == ([(1,)], [(2,)])
    names = dict(rows_of(PREPARED))
    connection.close()

    assert (second.rows(1), first.rows(1)) == ([(2,)], [(1,)])

    again = dict(rows_of(PREPARED))
    mine = {first.text.decode(), second.text.decode()}
    assert {names[text] for text in mine} == {again[text] for text in mine}
    assert len({again[text] for text in mine}) == 2


def test_connection_lost_during_a_trip_is_closed_and_replaced():
    end_itself = Statement("SELECT pg_terminate_backend(pg_backend_pid())")
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")

    with pytest.raises(OperationalError):
        execute_pipeline((COUNT, ()), (end_itself, ()), (COUNT, ()))

    assert connection.connection.closed
    connection.close()
    assert Statement("SELECT %s::int").rows(5) == [(5,)]
