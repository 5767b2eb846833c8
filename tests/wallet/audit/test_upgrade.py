"""One command each: restore over a database in use, and upgrade to another release."""

import os
from io import StringIO
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.db import made_by
from core.models import AuditEntry
from tests.builders.processes.commands import run_command
from tests.builders.wallet.players import fund, make_player

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.extended,
    pytest.mark.timeout(400),  # Each command is a process of its own.
]


@pytest.fixture
def other():
    """Return the URL of a new empty database; drop it and those kept under other names."""
    url = urlsplit(os.environ["DATABASE_URL"])
    name = f"{connection.settings_dict['NAME']}_other"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as maker:
        maker.execute(f"CREATE DATABASE {name}")
        yield url._replace(path=f"/{name}").geturl()
        made = maker.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{name}%"])
        for (database,) in made.fetchall():
            maker.execute(f"DROP DATABASE {database} WITH (FORCE)")


def accounts(url: str) -> int:
    with psycopg.connect(url) as database:
        return database.execute("SELECT count(*) FROM wallet_account").fetchone()[0]


def test_restore_replaces_a_database_and_keeps_it_under_another_name(other, tmp_path):
    first, second = tmp_path / "1.backup", tmp_path / "2.backup"
    fund(make_player(), deposit=100)
    call_command("backup", first, stdout=StringIO())
    before = accounts(own(other))
    fund(make_player(), deposit=100)
    call_command("backup", second, stdout=StringIO())
    assert run_command("restore", second, DATABASE_URL=other)[0] == 0

    with psycopg.connect(other):  # Somebody is connected.
        code, said = run_command("restore", first, "--replace", DATABASE_URL=other)
    assert (code, len(said)) == (1, 1)
    assert "stop all processes of the site first" in said[0]
    code, said = run_command("restore", first, "--replace", DATABASE_URL=other)

    assert code == 0, said
    [note] = [line for line in said if "now named" in line]
    kept = note.rstrip(".").rsplit(" ", 1)[-1]
    assert accounts(other) == before
    assert accounts(urlsplit(other)._replace(path=f"/{kept}").geturl()) > before


def own(url: str) -> str:
    """Return the URL of the tests' own database on the server of `url`."""
    return urlsplit(url)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def test_upgrade_backs_up_migrates_and_audits(other, tmp_path):
    file = tmp_path / "before.backup"

    code, said = run_command("upgrade", file, DATABASE_URL=other)
    assert code != 0
    assert "is empty" in str(said)
    assert not file.exists()
    run_command("migrate", DATABASE_URL=other)
    code, said = run_command("upgrade", file, DATABASE_URL=other)

    assert code == 0, said
    assert file.exists()
    with psycopg.connect(other) as database:
        assert database.execute("SELECT count(*) FROM wallet_auditrun").fetchone() == (1,)


def test_backup_is_recorded_and_upgrade_to_other_sources_changes_nothing(tmp_path, monkeypatch):
    call_command("backup", tmp_path / "site.backup", stdout=StringIO())
    entry = AuditEntry.objects.get(act="back_up")
    assert (entry.service, entry.name) == ("backup", "site.backup")
    assert "sha256=" in entry.after

    monkeypatch.setattr(made_by, "is_outdated", lambda cursor: True)
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("upgrade", tmp_path / "before.backup")
    assert [path.name for path in tmp_path.iterdir()] == ["site.backup"]
