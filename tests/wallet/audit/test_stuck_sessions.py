"""Hostile sessions of the application: which locks they cannot take, and how they are ended."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from django.contrib.sessions.models import Session
from django.db import connection, transaction

from tests.builders.books.rights import DELETED
from tests.builders.processes.logins import web_login, where
from tests.builders.wallet.players import fund, make_player
from wallet.audit.stuck_sessions import end_stuck_sessions
from wallet.deposits.models import StaffTask

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = {
    "the end of days": "SELECT ledger_end_days()",
    "a close": "SELECT finance_hold_closes()",
    "all accounts": "SELECT ledger_lock_accounts(array_agg(id)) FROM wallet_account",
    "what is offered everywhere": "SELECT pg_advisory_xact_lock(5312, 0)",
    "sessions": "LOCK TABLE django_session IN ACCESS EXCLUSIVE MODE",
}
AT_ONCE = "SELECT pid, waiting FROM wallet_end_sessions('0', '1 hour', '1 hour')"
AT_ONCE_FOR_THE_APPLICATION = """
    CREATE OR REPLACE FUNCTION wallet_end_stuck_sessions()
    RETURNS TABLE (pid integer, login name, seconds integer, waiting integer)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
    AS $$ SELECT * FROM wallet_end_sessions('1 hour', '1 hour', '0') $$
"""


def test_the_application_can_lock_no_table_but_those_it_deletes_from():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " AND relkind IN ('r', 'p', 'v', 'm', 'f')"
            " AND has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE')"
        )
        lockable = {name for (name,) in cursor.fetchall()}

    assert lockable <= DELETED.keys()
    assert lockable.isdisjoint({"auth_permission", "django_content_type", "players_user"})


@contextmanager
def hostile_session(login, statement):
    """Hold locks in a transaction that no time-out ends."""
    session = psycopg.connect(**where(user=login), autocommit=True)
    try:
        session.execute("SET idle_in_transaction_session_timeout = 0")
        session.execute("BEGIN")
        session.execute(statement)
        yield session
    finally:
        session.close()


def waits(statement, login, observer):
    """Return a future of the statement, which waits for a lock already."""
    executor = ThreadPoolExecutor(1)
    session = psycopg.connect(**where(user=login), autocommit=True)
    done = executor.submit(lambda: session.execute(statement).rowcount)
    waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = %s AND NOT granted)"
    while not observer.execute(waiting, [session.info.backend_pid]).fetchone()[0]:
        observer.execute("SELECT pg_sleep(0.01)")
    executor.shutdown(wait=False)
    return done


@pytest.mark.parametrize("statement", OPEN.values(), ids=OPEN)
def test_blocking_session_is_terminated_and_the_others_continue(statement):
    fund(make_player(), deposit=100_00)
    with (
        web_login() as login,
        psycopg.connect(**where(), autocommit=True) as owner,
        hostile_session(login, statement) as hostile,
    ):
        wanted = statement if statement.startswith("SELECT") else "SELECT FROM django_session"
        waiting = waits(wanted, login, owner)

        ended = owner.execute(AT_ONCE).fetchall()

        assert ended == [(hostile.info.backend_pid, 1)]
        waiting.result(timeout=30)
        with pytest.raises(psycopg.errors.AdminShutdown):
            hostile.execute("SELECT 1")
    assert not Session.objects.exists()


@pytest.mark.parametrize("limits", ["'1 hour', '0', '1 hour'", "'1 hour', '1 hour', '0'"])
def test_idle_or_long_transaction_is_ended_even_without_waiting_sessions(limits):
    with (
        web_login() as login,
        psycopg.connect(**where(), autocommit=True) as watcher,
        hostile_session(login, "SELECT 1") as lonely,
    ):
        assert watcher.execute(AT_ONCE).fetchall() == []

        ended = watcher.execute(f"SELECT pid FROM wallet_end_sessions({limits})").fetchall()

        assert ended == [(lonely.info.backend_pid,)]


def test_sessions_of_the_owner_and_young_ones_stay():
    fund(make_player(), deposit=100_00)
    everything = OPEN["all accounts"]
    with (
        web_login() as login,
        psycopg.connect(**where(), autocommit=True) as watcher,
        psycopg.connect(**where()) as owner,
    ):
        owner.execute(everything)
        waiting = waits(everything, login, watcher)

        assert watcher.execute(AT_ONCE).fetchall() == []
        assert watcher.execute("SELECT * FROM wallet_end_stuck_sessions()").fetchall() == []
        owner.rollback()
        waiting.result(timeout=30)


def test_staff_get_a_task_about_a_session_that_was_ended(owner):
    with web_login() as login, hostile_session(login, "SELECT 1") as hostile, transaction.atomic():
        with owner(), connection.cursor() as cursor:
            cursor.execute(AT_ONCE_FOR_THE_APPLICATION)

        [task] = end_stuck_sessions()

        assert StaffTask.objects.get() == task
        assert task.kind == StaffTask.Kind.SESSION_ENDED
        assert task.details == (
            f"Process {hostile.info.backend_pid} of {login}, 0 s in a transaction; 0 waited for it"
        )
        transaction.set_rollback(True)

    assert end_stuck_sessions() == []
