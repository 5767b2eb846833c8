"""Prepared statements behind a pooler in transaction mode."""

import os
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DataError, connection, transaction

from config import databases
from core.db.binaries import server_user
from core.db.statements import Statement, execute_pipeline
from devtools.children import stop_children
from tests.builders.processes.logins import connected_as, web_login, where
from tests.builders.processes.pgbouncer import PROGRAM, keeps_statements
from tests.builders.processes.product import PUBLIC_TEMP
from tests.builders.tables.deals import take_turn
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import at_once
from tests.builders.wallet.players import balances, fund, make_player
from wallet.audit.audit import audit

PORT = 6432
CONFIG = """
[databases]
{name} = host={host} port={port} dbname={name} user={login}
[pgbouncer]
unix_socket_dir = {directory}
listen_port = {listens}
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
{keeps}
logfile = {directory}/log
"""

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed"),
]


@contextmanager
def pooler(login, connections, *, keeps):
    """Start a pooler with so many connections to the server; return the directory of its socket."""
    there = where()
    user = server_user()
    with tempfile.TemporaryDirectory(prefix="rummy-pooler-", dir=PUBLIC_TEMP) as name:
        directory = Path(name)
        port, host = there.get("port") or 5432, there["host"]
        (directory / "ini").write_text(
            CONFIG.format(
                name=there["dbname"],
                host=host,
                port=port,
                login=login,
                directory=directory,
                listens=PORT,
                connections=connections,
                keeps="max_prepared_statements = 100" if keeps else "",
            )
        )
        if user is not None:
            os.chown(directory, user.pw_uid, user.pw_gid)
            os.chown(directory / "ini", user.pw_uid, user.pw_gid)
        with (directory / "out").open("wb") as out:
            process = subprocess.Popen(
                [str(PROGRAM), str(directory / "ini")],
                user=user.pw_uid if user else None,
                stdout=out,
                stderr=out,
            )
        try:
            wait_for(process, directory, there["dbname"])
            yield str(directory)
        finally:
            stop_children([process])


def wait_for(process, directory, name):
    while True:
        try:
            psycopg.connect(host=str(directory), port=PORT, dbname=name, user="any").close()
        except psycopg.OperationalError:
            assert process.poll() is None, (directory / "out").read_text()
        else:
            return


# How many connections the pooler has for everybody, and whether statements are prepared on them.
POOLERS = [
    pytest.param((1, False), id="unnamed"),
    *(
        pytest.param(
            (connections, True),
            id=f"prepared on {connections}",
            marks=pytest.mark.skipif(not keeps_statements(), reason="needs PgBouncer 1.21"),
        )
        for connections in (1, 2)
    ),
]


@pytest.fixture(params=POOLERS)
def pooled(request):
    """Let Django connect through a pooler; return how its server is reached past it."""
    connections, prepares = request.param
    settings, direct = connection.settings_dict, where()
    before = {name: settings[name] for name in ("HOST", "PORT")}
    options = settings["OPTIONS"].get("host")
    with (
        web_login() as login,
        pooler(login, connections, keeps=prepares) as directory,
        connected_as(login),
    ):
        settings["HOST"], settings["PORT"] = directory, PORT
        settings["OPTIONS"].pop("host", None)
        settings["DISABLE_SERVER_SIDE_CURSORS"] = True
        settings["OPTIONS"]["pooler_prepares"] = prepares
        try:
            yield direct
        finally:
            connection.close()
            settings.update(before)
            settings["DISABLE_SERVER_SIDE_CURSORS"] = False
            del settings["OPTIONS"]["pooler_prepares"]
            assert options is None or settings["OPTIONS"].get("host") != directory


ECHO = [Statement(f"SELECT {number}, %s::int") for number in range(20)]


def test_clients_sharing_a_connection_get_their_own_answers(pooled):
    def ask(first):
        found = []
        for turn in range(100):
            # In another order each time: what the other one asked last is never what is asked now.
            number = (turn * first) % 20
            with transaction.atomic():
                found.append(ECHO[number].rows(turn) == [(number, turn)])
            trip = execute_pipeline((ECHO[number], (turn,)), (ECHO[turn % 20], (first,)))
            found.append(trip == [[(number, turn)], [(turn % 20, first)]])
        return found

    answers = at_once([lambda: ask(3), lambda: ask(7)])

    assert answers == [[True] * 200] * 2


def test_statement_not_reached_is_prepared_by_a_later_trip(pooled):
    fails, later = Statement("SELECT 1 / %s::int"), Statement("SELECT 'later', %s::int")
    for turn in range(3):
        with pytest.raises(DataError), transaction.atomic():
            execute_pipeline((fails, (0,)), (later, (turn,)))
        assert execute_pipeline((fails, (1,)), (later, (turn,))) == [[(1,)], [("later", turn)]]


def test_statement_on_changed_columns_returns_the_new_ones(pooled):
    with psycopg.connect(**pooled, autocommit=True) as migrating:
        migrating.execute("DROP TABLE IF EXISTS changing")
        migrating.execute("CREATE TABLE changing AS SELECT 1 AS one")
        migrating.execute("GRANT SELECT ON changing TO PUBLIC")
        read = Statement("SELECT * FROM changing WHERE one = %s")
        try:
            assert [read.rows(1) for _ in range(3)] == [[(1,)]] * 3
            migrating.execute("ALTER TABLE changing ADD COLUMN two int DEFAULT 2")

            assert [read.rows(1) for _ in range(3)] == [[(1, 2)]] * 3
            with transaction.atomic():
                assert ECHO[1].rows(5) == [(1, 5)]
                assert read.rows(1) == [(1, 2)]
        finally:
            migrating.execute("DROP TABLE changing")


@pytest.mark.extended
def test_moves_and_postings_continue_while_the_schema_changes(pooled):
    tables = [make_game(), make_game()]
    players = [make_player(), make_player()]

    def play(number):
        mine = None
        for turn in range(6):
            take_turn(tables[number])
            mine = fund(players[number], deposit=100)
            if turn == 3 and number == 0:
                change_the_schema(pooled)
        return balances(mine["deposit"])

    answers = at_once([lambda: play(0), lambda: play(1)])

    assert answers == [[600], [600]]
    assert [table.deals.get().moves.count() for table in tables] == [12, 12]
    assert audit().is_clean


def change_the_schema(direct):
    """Add a column to what both clients read and write."""
    with psycopg.connect(**direct, autocommit=True) as migrating:
        for table in ("tables_table", "tables_move", "wallet_account", "wallet_transfer"):
            migrating.execute(f"ALTER TABLE {table} ADD COLUMN meanwhile int")
            migrating.execute(f"ALTER TABLE {table} DROP COLUMN meanwhile")


def test_pooler_needs_a_login_of_the_application(monkeypatch):
    monkeypatch.setenv("DATABASE_POOLER", "transaction")
    with pytest.raises(ImproperlyConfigured, match="login of the application's own"):
        databases.application()

    monkeypatch.setenv("DATABASE_ROLE", "")
    settings = databases.application()

    assert settings["DISABLE_SERVER_SIDE_CURSORS"]
    assert not settings["OPTIONS"]["pooler_prepares"]
    assert "session" not in settings["OPTIONS"]
    assert "options" not in settings["OPTIONS"]
    monkeypatch.setenv("DATABASE_POOLER", "session")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOLER"):
        databases.application()
