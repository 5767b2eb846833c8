"""The hash of the sources of a new database, and the frozen SQL of a release."""

import os
import shutil
import subprocess
import sys

import pytest

from core.db.binaries import CHECKOUT
from core.db.schema import schema_hash, schemas, sql_of

APPS = ("config", "core", "devtools", "finance", "players", "staff", "tables", "tournaments")
APPS += ("wallet", "rummy")
HASH = "from core.db.schema import schema_hash; print(schema_hash())"


class Checkout:
    """A copy of the product's sources, which a test may change."""

    def __init__(self, root):
        self.root = root
        for app in APPS:
            shutil.copytree(
                CHECKOUT / app, root / app, ignore=shutil.ignore_patterns("__pycache__")
            )
        for file in ("manage.py", "pyproject.toml"):
            shutil.copy(CHECKOUT / file, root / file)

    def run(self, *arguments):
        environment = os.environ | {
            "RUMMY_EPHEMERAL": "1",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        for name in ("DATABASE_URL", "REDIS_URL", "RUMMY_TEST_SERVERS"):
            environment.pop(name, None)
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def hash(self):
        return self.run("-c", HASH).strip()

    def append(self, path, text):
        file = self.root / path
        file.write_text(file.read_text() + text)

    def replace(self, path, old, new):
        file = self.root / path
        assert file.read_text().count(old) == 1
        file.write_text(file.read_text().replace(old, new))


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_hash_of_an_unchanged_copy_is_the_same(checkout):
    assert checkout.hash() == schema_hash()


@pytest.mark.parametrize(
    "path",
    [
        "wallet/ledger/sql/posting.sql",
        "core/db/sql/roles.sql",
        "tables/models/sql/watched.sql",
        "staff/migrations/0001_roles.py",
        "tables/migrations/0001_initial.py",
        "finance/migrations/0002_database.py",
    ],
)
def test_hash_differs_after_a_change_of_what_makes_a_database(checkout, path):
    checkout.append(path, "\n-- x\n" if path.endswith(".sql") else "\n# x\n")

    assert checkout.hash() != schema_hash()


def test_hash_differs_after_a_change_of_the_order_in_which_files_are_loaded(checkout):
    names = '"core.db.audit_entries", "core.partitions.months"'
    checkout.replace("core/apps.py", names, '"core.partitions.months", "core.db.audit_entries"')

    assert checkout.hash() != schema_hash()


def test_hash_is_the_same_after_changes_that_no_first_migration_runs(checkout):
    """Questions are read when they are asked, rights are granted after each migrate."""
    for path in ("wallet/audit/sql/audit.sql", "core/db/sql/rights.sql"):
        checkout.append(path, "\n-- x\n")
    (checkout.root / "tables/migrations/0003_next.py").write_text(
        "from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n"
        "    dependencies = [('tables', '0002_database')]\n"
    )

    assert checkout.hash() == schema_hash()


def test_no_migration_has_frozen_sql_before_the_first_release():
    assert list(CHECKOUT.glob("*/migrations/*.py"))
    assert list(CHECKOUT.glob("*/migrations/*.sql")) == []


def test_frozen_migrations_run_their_copies_after_the_files_changed(checkout):
    listed = [(app, name) for app, schema in schemas().items() for name in schema]

    written = checkout.run("manage.py", "freeze_sql").splitlines()

    assert len(written) == len(listed) >= 9
    frozen = checkout.root / "wallet/migrations/0002_database.sql"
    assert str(frozen) in written
    for part in schemas()["wallet"]["0002_database"]:
        assert f"-- {part}\n{sql_of(part).rstrip()}\n" in frozen.read_text()
    assert checkout.hash() == schema_hash()

    checkout.append("wallet/ledger/sql/posting.sql", "\nSELECT 'of a later release';\n")
    again = checkout.run("manage.py", "freeze_sql")

    assert again.count("is frozen already") == len(listed)
    assert checkout.hash() == schema_hash()
    asked = "import django; django.setup(); from core.db.schema import sql_of_migration as s;"
    runs = checkout.run("-c", f"{asked} print(s('wallet', '0002_database'))")
    assert runs.strip() == frozen.read_text().strip()
    assert "of a later release" not in runs
