"""Hung sessions are ended, and requests that wait too long get 503."""

from contextlib import contextmanager

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from config import databases
from core.api.refusals import _is_temporary
from core.db.long_statements import long_statements
from players.accounts.models import User
from staff.monitoring.metrics import strange_settings
from tests.builders.processes.logins import connected_as, web_login, where
from tests.builders.wallet.players import balances, fund, make_player, make_stake
from wallet.audit.audit import audit

pytestmark = pytest.mark.django_db(transaction=True)


def setting(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [name])
        return cursor.fetchone()[0]


@contextmanager
def logged_in(way, **limits):
    """Connect with a login of the application's own, or with one that takes its role (a demo)."""
    if way == "login":
        with web_login(limits=limits) as login, connected_as(login):
            yield {"user": login}
    else:
        owner = connection.settings_dict["USER"]
        with connected_as(owner, role="rummy_app", **limits):
            given = " ".join(f"-c {name}={value}" for name, value in limits.items())
            yield {"user": owner, "options": f"-c role=rummy_app {given}"}


@pytest.mark.parametrize("way", ["login", "role"])
def test_a_posting_waits_for_a_hung_session_until_the_server_ends_it(way):
    """The session holds the open day and all accounts, as one in the midst of a posting does."""
    mine = fund(make_player(), deposit=100_00)
    with logged_in(way, idle_in_transaction_session_timeout="300ms", lock_timeout="20s") as who:
        hung = psycopg.connect(**where(**who))
        hung.execute("SELECT ledger_lock_accounts(array_agg(id)) FROM wallet_account")

        make_stake()  # Waits; nobody else ends the session.

        with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
            hung.execute("SELECT 1")
    assert balances(mine["deposit"]) == [100_00]
    assert audit().is_clean


@contextmanager
def tables_held():
    """Hold what every list of tables reads."""
    with psycopg.connect(**where()) as holder:
        holder.execute("LOCK TABLE tables_table IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.mark.extended
@pytest.mark.parametrize("limit", ["lock_timeout", "statement_timeout"])
@pytest.mark.parametrize("way", ["login", "role"])
def test_waiting_too_long_answers_503(way, limit):
    browser = Client(raise_request_exception=False)
    browser.force_login(make_player())
    with tables_held(), logged_in(way, **{limit: "200ms"}):
        api, page = browser.get("/api/v1/tables/"), browser.get("/lobby/")

    assert (api.status_code, api.json()["code"], api["Retry-After"]) == (503, "unavailable", "5")
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert browser.get("/api/v1/tables/").status_code == 200


def test_session_ended_within_a_transaction_is_a_temporary_error():
    with logged_in("login", idle_in_transaction_session_timeout="100ms"):
        with pytest.raises(DatabaseError) as ended:
            idle_in_a_transaction()

        assert _is_temporary(ended.value)
        connection.close()
        assert setting("lock_timeout") == "0"


@transaction.atomic
def idle_in_a_transaction():
    setting("lock_timeout")
    wait_until_gone(connection.connection.info.backend_pid)
    setting("lock_timeout")


def wait_until_gone(pid):
    with psycopg.connect(**where(), autocommit=True) as observer:
        gone = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)"
        while not observer.execute(gone, [pid]).fetchone()[0]:
            observer.execute("SELECT pg_sleep(0.02)")


def test_audits_and_exports_have_a_longer_timeout():
    fund(make_player(), deposit=100_00)
    with logged_in("role", statement_timeout="30s"):
        with long_statements():
            assert setting("statement_timeout") == "30min"
        assert setting("statement_timeout") == "30s"
        assert audit().is_clean
        assert setting("statement_timeout") == "30s"


@pytest.mark.parametrize(
    "undone", ["RESET ALL", "SET statement_timeout = 0", "SET search_path = 'evil'"]
)
def test_limits_removed_by_a_login_are_set_again_in_the_next_session(monkeypatch, undone):
    monkeypatch.setenv("DATABASE_ROLE", "")
    wanted = databases.application()["OPTIONS"]["session"]
    with web_login() as login:
        with connected_as(login, **wanted):
            assert strange_settings() == []
        with psycopg.connect(**where(user=login), autocommit=True) as intruder:
            intruder.execute(f"ALTER ROLE {login} {undone}")

        with connected_as(login, **wanted):
            assert {name: setting(name) for name in wanted} == wanted
            assert strange_settings() != []
            assert User.objects.count() == 0


def test_idle_transactions_end_before_lock_timeouts():
    seconds = {name: int(value.removesuffix("s")) for name, value in databases.LIMITS.items()}

    assert (
        seconds["idle_in_transaction_session_timeout"]
        < seconds["lock_timeout"]
        < seconds["statement_timeout"]
    )
