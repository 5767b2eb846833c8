"""Behind a pooler that lends its connections for a transaction at a time, nothing is mixed up."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction

from config import databases
from core.db.binaries import server_user
from core.db.statements import Statement, execute_pipeline
from embedded.children import stop_children
from tests.builders.processes.logins import connected_as, web_login, where
from tests.builders.processes.product import PUBLIC_TEMP
from tests.builders.tables.deals import take_turn
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import at_once
from tests.builders.wallet.players import balances, fund, make_player
from wallet.audit.audit import audit

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
PORT = 6432
CONFIG = """
[databases]
{name} = host={host} port={port} dbname={name} user={login}
[pgbouncer]
unix_socket_dir = {directory}
listen_port = {listens}
auth_type = any
pool_mode = transaction
default_pool_size = 1
logfile = {directory}/log
"""

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed"),
]


@contextmanager
def pooler(login):
    """Start a pooler with one connection to the server; return the directory of its socket."""
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


@pytest.fixture
def pooled():
    """Let Django connect through a pooler that has one connection of the server for everybody."""
    settings, direct = connection.settings_dict, where()
    before = {name: settings[name] for name in ("HOST", "PORT")}
    options = settings["OPTIONS"].get("host")
    with web_login() as login, pooler(login) as directory, connected_as(login):
        settings["HOST"], settings["PORT"] = directory, PORT
        settings["OPTIONS"].pop("host", None)
        settings["DISABLE_SERVER_SIDE_CURSORS"] = True
        try:
            yield direct
        finally:
            connection.close()
            settings.update(before)
            settings["DISABLE_SERVER_SIDE_CURSORS"] = False
            assert options is None or settings["OPTIONS"].get("host") != directory


ECHO = [Statement(f"SELECT {number}, %s::int") for number in range(20)]


def test_two_clients_of_one_connection_get_each_their_own_answers(pooled):
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


@pytest.mark.extended
def test_moves_and_postings_go_on_through_one_connection_while_the_schema_changes(pooled):
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
    """Add a column to what both clients read and write, and forget what the server has prepared."""
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with psycopg.connect(**direct, autocommit=True) as migrating:
        for table in ("tables_table", "tables_move", "wallet_account", "wallet_transfer"):
            migrating.execute(f"ALTER TABLE {table} ADD COLUMN meanwhile int")
            migrating.execute(f"ALTER TABLE {table} DROP COLUMN meanwhile")


def test_behind_a_pooler_the_application_has_a_login_of_its_own(monkeypatch):
    monkeypatch.setenv("DATABASE_POOLER", "transaction")
    with pytest.raises(ImproperlyConfigured, match="login of the application's own"):
        databases.application()

    monkeypatch.setenv("DATABASE_ROLE", "")
    settings = databases.application()

    assert settings["DISABLE_SERVER_SIDE_CURSORS"]
    assert "session" not in settings["OPTIONS"]
    assert "options" not in settings["OPTIONS"]
    monkeypatch.setenv("DATABASE_POOLER", "session")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOLER"):
        databases.application()
