"""`migrate` on databases that were created by other SQL or other first migrations."""

import os
import subprocess
import sys
from urllib.parse import urlsplit

import psycopg
import pytest

from core.db.binaries import CHECKOUT
from core.db.made_by import REBUILT
from core.db.schema import schema_hash
from devtools.postgres import DATABASE
from tests.cluster import MIGRATED

pytestmark = [pytest.mark.extended, pytest.mark.process, pytest.mark.timeout(300)]
NAME = "rummy_outdated"
PLAYERS = "SELECT handle FROM players_user"
RECORDED = "SELECT hash FROM core_schemahash"
ADD_PLAYER = """
    INSERT INTO players_user (password, is_superuser, public_id, email, handle, avatar, is_guest,
        is_bot, is_staff, is_active, country, region, time_zone, language, reality_check_minutes,
        has_public_profile, consent_version, date_joined, closed_email_hash)
    VALUES ('', false, gen_random_uuid(), 'asha@example.com', 'asha', '', false, false, false, true,
        '', '', 'Asia/Kolkata', 'en', 0, true, '', now(), '')
"""


class Database:
    def __init__(self, url):
        self.url = url

    def ask(self, *statements):
        """Execute statements as the owner and return the rows of the last one."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements[:-1]:
                connection.execute(statement)
            cursor = connection.execute(statements[-1])
            return cursor.fetchall() if cursor.description else []

    def manage(self, *command):
        environment = os.environ | {"DATABASE_URL": self.url, "SECRET_KEY": "x" * 50}
        environment |= {"RUMMY_EPHEMERAL": "1"}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        return subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=CHECKOUT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def database():
    """A migrated database of its own with a player in it."""
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path="/postgres").geturl()
    with psycopg.connect(url, autocommit=True) as maker:
        maker.execute(f"DROP DATABASE IF EXISTS {NAME}")
        maker.execute(f"CREATE DATABASE {NAME} TEMPLATE {DATABASE}")
        made = Database(urlsplit(url)._replace(path=f"/{NAME}").geturl())
        try:
            if MIGRATED not in os.environ:  # The servers are yours, and the database was empty.
                assert made.manage("migrate", "-v0").returncode == 0
            made.ask(ADD_PLAYER)
            yield made
        finally:
            maker.execute(f"DROP DATABASE {NAME} WITH (FORCE)")


OTHERS = "UPDATE core_schemahash SET hash = 'of other sources'"


def test_database_of_the_present_sources_is_migrated_again_and_keeps_its_rows(database):
    done = database.manage("migrate", "-v0")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert database.ask(PLAYERS) == [("asha",)]
    assert database.ask(RECORDED) == [(schema_hash(),)]


@pytest.mark.parametrize("change", ["DELETE FROM core_schemahash", "DROP TABLE core_schemahash"])
def test_database_of_unknown_sources_is_refused_and_kept(database, change):
    database.ask(change)

    done = database.manage("migrate", "-v0")

    assert (done.returncode, done.stdout) == (1, "")
    assert "created with other SQL or first migrations" in done.stderr
    assert "manage.py backup" in done.stderr
    assert "Traceback" not in done.stderr
    assert database.ask(PLAYERS) == [("asha",)]
    assert database.ask("SELECT to_regclass('core_schemahash') IS NULL") == [("DROP" in change,)]


def test_database_of_other_sources_is_refused_saved_and_restored_without_an_audit(
    database, tmp_path
):
    database.ask(OTHERS)
    file = str(tmp_path / "kept.backup")

    refused = database.manage("migrate", "-v0")
    saved = database.manage("backup", file)
    database.ask("DROP SCHEMA months CASCADE", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    restored = database.manage("restore", file)

    assert refused.returncode == 1
    assert "manage.py backup" in refused.stderr
    assert saved.returncode == 0, saved.stderr
    assert restored.returncode == 1
    assert "not audited, because its database was created by other SQL" in restored.stderr
    assert "Traceback" not in restored.stderr
    assert database.ask(PLAYERS) == [("asha",)]


def test_demo_database_of_other_sources_is_rebuilt_with_one_line(database):
    database.ask("SELECT ledger_mark_demo()", "CREATE TABLE months.left_over ()", OTHERS)

    looked = database.manage("migrate", "--check")
    assert (looked.returncode, database.ask(PLAYERS)) == (1, [("asha",)])
    done = database.manage("migrate", "-v0")

    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    assert line == REBUILT
    assert database.ask(PLAYERS) == []
    assert database.ask(RECORDED) == [(schema_hash(),)]
    assert database.ask(
        "SELECT count(*) > 0 FROM pg_class WHERE relnamespace = 'months'::regnamespace"
    ) == [(True,)]
    owner = "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'public'"
    assert database.ask(owner) == [("pg_database_owner",)]
    report = database.manage("audit_ledger", "--json")
    assert report.returncode == 0, report.stdout + report.stderr


def test_first_migrate_that_was_interrupted_is_repeated(database):
    """The hash is recorded before the first migration, so the rest is made by the same sources."""
    database.ask("DELETE FROM django_migrations WHERE app = 'staff'")
    before = database.ask("SELECT count(*) FROM django_migrations")

    done = database.manage("migrate", "-v0")

    assert done.returncode == 0, done.stderr
    [(applied,)] = database.ask("SELECT count(*) FROM django_migrations")
    assert applied == before[0][0] + 1


def test_application_may_read_the_hash_and_not_write_it(database):
    assert database.ask("SET ROLE rummy_app", RECORDED) == [(schema_hash(),)]
    for statement in (
        OTHERS,
        "DELETE FROM core_schemahash",
        "INSERT INTO core_schemahash VALUES (1, '')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            database.ask("SET ROLE rummy_app", statement)
