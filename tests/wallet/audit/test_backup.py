"""A backup taken under load restores a complete, balanced ledger."""

import json
import os
import re
import time
from io import StringIO
from threading import Event, Thread
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from core.db.programs import program, run_program
from tests.builders.processes.commands import manage, run_command
from tests.builders.processes.dying_processes import POST, Site
from tests.builders.processes.logins import connected_as, web_login, where
from tests.builders.tables.making import make_game
from tests.builders.tables.playing import move
from tests.builders.wallet.players import fund, make_player, make_stake
from wallet.audit import seals
from wallet.ledger import posting
from wallet.ledger.models import Entry, Transfer
from wallet.management.commands import restore as restoring
from wallet.management.commands.restore import pass_transactions

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def empty_database():
    """The address of a new database on the tests' own server."""
    url = urlsplit(os.environ["DATABASE_URL"])
    name = f"{connection.settings_dict['NAME']}_restored"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as maker:
        maker.execute(f"DROP DATABASE IF EXISTS {name}")
        maker.execute(f"CREATE DATABASE {name}")
        yield url._replace(path=f"/{name}").geturl()
        maker.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def busy():
    """Start writers, yield once one has written ten transfers, and stop them at the end."""
    over, writing = Event(), Event()
    writers = [Thread(target=write_on, args=(over, writing)) for _ in range(4)]
    for writer in writers:
        writer.start()
    assert writing.wait(30)
    yield over
    over.set()
    for writer in writers:
        writer.join(30)


def write_on(over, writing):
    mine = fund(make_player(), deposit=10**9)
    number = 0
    try:
        while not over.is_set():
            number += 1
            entries = [(mine["deposit"], -1), (mine["winnings"], 1)]
            key = f"load:{mine['deposit'].pk}:{number}"
            posting.post(key=key, kind=Transfer.Kind.ADJUSTMENT, entries=entries)
            if number == 10:
                make_stake()
                seals.seal_ledger()
                writing.set()
    finally:
        connection.close()


def restore(url, file):
    return manage("restore", file, "--json", DATABASE_URL=url)


@pytest.mark.extended
def test_objects_of_the_application_login_do_not_break_a_backup(empty_database, tmp_path):
    file = tmp_path / "site.backup"
    with (
        web_login(limits={}) as login,
        psycopg.connect(**where(user=login), autocommit=True) as intruder,
    ):
        intruder.execute("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC")
        [made] = intruder.execute(
            "SELECT CASE WHEN has_function_privilege('lo_create(oid)', 'EXECUTE')"
            " THEN lo_create(0) END"
        ).fetchone()
        call_command("backup", file, stdout=StringIO())
        if made is not None:
            intruder.execute("SELECT lo_unlink(%s)", [made])
        intruder.execute("ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC")
        done = restore(empty_database, file)

    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["ok"]
    assert "Left out: " in done.stderr
    assert f"DEFAULT PRIVILEGES FOR TABLES {login}" in done.stderr


@pytest.mark.extended
def test_backup_under_load_restores_a_balanced_ledger(busy, empty_database, tmp_path):
    table = make_game(players=2)
    move(table, 1, "ds")
    before = Transfer.objects.count()

    call_command("backup", tmp_path / "site.backup", stdout=StringIO())
    after = Transfer.objects.count()
    busy.set()
    done = restore(empty_database, tmp_path / "site.backup")

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["ok"], report["findings"], report["migrations_behind"]) == (True, [], 0)
    assert before <= report["transfers"] <= after
    assert 0 < report["seconds_to_read"] <= report["seconds_with_audit"] < 120
    with psycopg.connect(empty_database) as restored:
        kept = restored.execute("SELECT count(*), sum(amount_minor) FROM wallet_entry").fetchone()
        assert kept == (report["entries"], 0)
        moves = restored.execute("SELECT text FROM tables_move").fetchall()
        assert moves == [("p1 ds",)]
        # Guards and grants came along: the application still cannot rewrite history.
        restored.execute("SET ROLE rummy_app")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            restored.execute("UPDATE wallet_entry SET amount_minor = 1")
    assert (tmp_path / "site.backup").stat().st_mode & 0o777 == 0o600


@pytest.mark.extended
@pytest.mark.soak
def test_a_backup_of_an_earlier_version_is_restored_and_waits_for_its_migrations(
    owner, empty_database, tmp_path
):
    fund(make_player(), deposit=100)
    recorder, latest = MigrationRecorder(connection), ("staff", "0001_roles")
    with owner():
        recorder.record_unapplied(*latest)
    try:
        call_command("backup", tmp_path / "site.backup", stdout=StringIO())
    finally:
        with owner():
            recorder.record_applied(*latest)

    done = restore(empty_database, tmp_path / "site.backup")

    assert done.returncode == 1
    assert "run `manage.py migrate`, then `manage.py audit_ledger`" in done.stderr
    report = json.loads(done.stdout)
    assert (report["migrations_behind"], report["ok"]) == (1, None)
    with psycopg.connect(empty_database) as restored:
        assert restored.execute("SELECT count(*) FROM wallet_entry").fetchone() == (2,)


def test_the_count_of_transactions_is_brought_past_those_the_ledger_names(owner):
    fund(make_player(), deposit=100)
    xid = Transfer.objects.get().xid
    with owner(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE wallet_transfer SET xid = xid + 3000")
        cursor.execute("SET session_replication_role = DEFAULT")

    passed = pass_transactions()

    assert 2_900 < passed <= 3_000
    fund(make_player(), deposit=100)
    assert Transfer.objects.latest("pk").xid > xid + 3_000
    assert pass_transactions() == 0


def address(login, url=None):
    parts = urlsplit(url or os.environ["DATABASE_URL"])
    if url is None:
        parts = parts._replace(path=f"/{connection.settings_dict['NAME']}")
    _, _, server = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{login}@{server}").geturl()


@pytest.mark.extended
@pytest.mark.timeout(600)
def test_backup_that_cannot_be_made_is_refused_in_one_sentence(empty_database, tmp_path):
    name = urlsplit(empty_database).path.removeprefix("/")
    with web_login() as login:
        for url, sentence in (
            (address(login), f"The login {login} does not own this database"),
            (empty_database, rf"The database {name} at \S+ is empty: start the demo"),
            ("postgres://nobody@/none?host=/nowhere", "The database does not answer"),
        ):
            code, said = run_command("backup", tmp_path / "site.backup", DATABASE_OWNER_URL=url)
            assert (code, len(said)) == (1, 1)
            assert re.search(sentence, said[0]), said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.extended
@pytest.mark.soak
def test_a_restore_by_another_login_or_without_its_role_is_refused_in_one_sentence(
    empty_database, tmp_path, monkeypatch
):
    (tmp_path / "site.backup").write_bytes(b"not read before the login is")
    with web_login() as login:
        code, said = run_command(
            "restore", tmp_path / "site.backup", DATABASE_OWNER_URL=address(login, empty_database)
        )

    assert (code, len(said)) == (1, 1)
    assert f"The login {login} does not own this database" in said[0]
    # The role itself is there for all databases of the server: ask for one that is not.
    monkeypatch.setattr(restoring, "ROLE", restoring.ROLE.replace("rummy_app", "rummy_absent"))
    with (
        web_login() as login,
        connected_as(login),
        connection.cursor() as cursor,
        pytest.raises(CommandError, match="CREATE ROLE rummy_app NOLOGIN"),
    ):
        restoring._make_role(cursor)


def test_backup_names_the_database_that_it_saved(tmp_path):
    saved = connection.settings_dict
    output = StringIO()

    call_command("backup", tmp_path / "site.backup", stdout=output)

    first, second = output.getvalue().splitlines()
    assert first == f"Saved the database {saved['NAME']} at {saved['HOST'] or 'localhost'}."
    assert second.startswith(f"{(tmp_path / 'site.backup').resolve()}: ")


def test_backup_overwrites_no_file(tmp_path):
    file = tmp_path / "site.backup"
    file.write_text("another")

    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", file)
    with pytest.raises(CommandError, match="not a directory"):
        call_command("backup", tmp_path / "nowhere" / "x")

    assert file.read_text() == "another"
    assert list(tmp_path.iterdir()) == [file]


def test_restore_refuses_a_database_in_use_and_names_missing_programs(tmp_path):
    file = tmp_path / "site.backup"
    file.write_text("whatever it is")
    fund(make_player(), deposit=100)

    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", file)
    with pytest.raises(CommandError, match="pg_restore failed"):
        run_program("pg_restore", "--single-transaction", "--exit-on-error", file)
    with pytest.raises(CommandError, match="There is no file"):
        call_command("restore", "/nowhere.backup")
    with pytest.raises(CommandError, match="postgresql-client-99"):
        program("pg_dump", 99)
    assert Entry.objects.count() == 2


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.timeout(600)
def test_restored_server_continues_after_the_backed_up_transactions(busy, tmp_path):
    """A new server counts transactions from the beginning; its postings must still come last."""
    time.sleep(20)  # Load, and seals behind it.
    call_command("backup", tmp_path / "site.backup", stdout=StringIO())
    busy.set()
    new = Site()
    try:
        # The test server's database is migrated; a restore needs an empty one.
        with psycopg.connect(new.url, autocommit=True) as maker:
            maker.execute("CREATE DATABASE restored")
        new.url = urlsplit(new.url)._replace(path="/restored").geturl()
        done = restore(new.url, tmp_path / "site.backup")

        report = json.loads(done.stdout)
        assert (report["ok"], report["findings"]) == (True, [])
        with new.connect() as restored:
            last = restored.execute("SELECT max(xid) FROM wallet_transfer").fetchone()[0]
            accounts = restored.execute(
                "SELECT array_agg(id ORDER BY id) FROM wallet_account WHERE kind = 'deposit'"
            ).fetchone()[0]
            restored.execute(POST, ["after:1", accounts[:2]])
            made = restored.execute("SELECT xid FROM wallet_transfer WHERE key = 'after:1'")
            assert made.fetchone()[0] > last
        audited = json.loads(new.manage("audit_ledger", "--json").stdout)
        assert (audited["ok"], audited["transfers"]) == (True, report["transfers"] + 1)
        sealed = new.manage("seal_ledger")
        assert sealed.returncode == 0, sealed.stderr
        assert json.loads(new.manage("audit_ledger", "--json").stdout)["ok"]
    finally:
        new.remove()
