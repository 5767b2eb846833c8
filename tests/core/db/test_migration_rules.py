"""Migrations that lock tables in use are refused; the documented alternatives pass."""

import shutil
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.postgres.operations import (
    AddConstraintNotValid,
    AddIndexConcurrently,
    RemoveIndexConcurrently,
    ValidateConstraint,
)
from django.core.management import CommandError, call_command
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.models.functions import Random

import core
from core.db.migration_rules import findings_of
from tests.amounts import first

MODEL = "pushsubscription"
TABLE = "players_pushsubscription"
POSITIVE = models.CheckConstraint(condition=models.Q(id__gt=0), name="positive")
INDEX = models.Index(fields=["endpoint"], name="by_endpoint")
DROP_COLUMN = migrations.RunSQL(f"ALTER TABLE {TABLE} DROP COLUMN auth")
BACKFILL = migrations.RunPython(migrations.RunPython.noop)


def rules(*operations, version="1.1.0", **attributes):
    """Return the rules that a migration of these operations breaks, as players' next one."""
    made = type("Migration", (migrations.Migration,), {"operations": operations} | attributes)
    migration = made("0003_next", "players")
    return {found.rule for found in findings_of(migration, state_now().clone(), version=version)}


@cache
def state_now():
    """Return the models as the migrations on disk leave them."""
    return MigrationLoader(None).project_state()


def add(field):
    return migrations.AddField(MODEL, "extra", field)


def from_state_alone(operation):
    return migrations.SeparateDatabaseAndState(state_operations=[operation])


@pytest.mark.parametrize(
    ("operation", "rule"),
    first(
        3,
        [
            (migrations.AddIndex(MODEL, INDEX), "require-concurrent-index-creation"),
            (add(models.TextField(null=True, db_index=True)), "require-concurrent-index-creation"),
            (
                migrations.RemoveIndex(MODEL, "players_pushsubscription_login"),
                "require-concurrent-index-deletion",
            ),
            (
                migrations.AlterField(
                    MODEL,
                    "player",
                    models.ForeignKey("players.user", models.PROTECT, db_index=False),
                ),
                "require-concurrent-index-deletion",
            ),
            # A unique text has an index for LIKE besides.
            (
                migrations.AlterField(MODEL, "endpoint", models.CharField(max_length=1000)),
                "require-concurrent-index-deletion",
            ),
            (migrations.AddConstraint(MODEL, POSITIVE), "constraint-missing-not-valid"),
            (add(models.TextField(null=True, unique=True)), "disallowed-unique-constraint"),
            (add(models.TextField(default="")), "not-null-without-db-default"),
            (add(models.FloatField(db_default=Random())), "adding-field-with-default"),
            (
                add(models.ForeignKey("players.user", models.PROTECT, null=True)),
                "adding-foreign-key-constraint",
            ),
            (migrations.AlterField(MODEL, "auth", models.TextField()), "changing-column-type"),
            (
                migrations.AlterField("user", "email", models.EmailField(max_length=254)),
                "adding-not-nullable-field",
            ),
            (BACKFILL, "runs-python"),
            (migrations.RunSQL(f"UPDATE {TABLE} SET auth = ''"), "runs-sql"),
            (migrations.SeparateDatabaseAndState(database_operations=[BACKFILL]), "runs-python"),
            (migrations.RenameField(MODEL, "auth", "secret"), "renaming-column"),
            (migrations.RenameModel(MODEL, "Device"), "renaming-table"),
            (migrations.RemoveField(MODEL, "auth"), "drops-what-models-had"),
            (migrations.DeleteModel(MODEL), "drops-what-models-had"),
            (DROP_COLUMN, "ban-drop-column"),
            (
                from_state_alone(migrations.RemoveField(MODEL, "auth")),
                "not-null-without-db-default",
            ),
        ],
    ),
)
def test_migration_that_locks_or_breaks_the_previous_release_is_refused(operation, rule):
    assert rule in rules(operation)


@pytest.mark.parametrize(
    "operation",
    first(
        2,
        [
            add(models.TextField(null=True)),
            add(models.TextField(db_default="", default="")),
            migrations.AlterField(MODEL, "auth", models.CharField(max_length=32, null=True)),
            migrations.AlterField(
                MODEL, "auth", models.CharField(max_length=32, help_text="A key.")
            ),
            AddConstraintNotValid(MODEL, POSITIVE),
            migrations.RemoveConstraint(MODEL, "players_pushsubscription_is_https"),
            migrations.CreateModel(
                "Device",
                [
                    ("id", models.BigAutoField(primary_key=True)),
                    ("player", models.ForeignKey("players.user", models.PROTECT)),
                    ("name", models.TextField(unique=True)),
                ],
                options={"indexes": [models.Index(fields=["name"], name="by_name")]},
            ),
        ],
    ),
)
def test_harmless_migration_passes(operation):
    assert rules(operation) == set()


def test_index_is_created_and_dropped_concurrently():
    assert rules(AddIndexConcurrently(MODEL, INDEX), atomic=False) == set()
    login = RemoveIndexConcurrently(MODEL, "players_pushsubscription_login")
    assert rules(login, atomic=False) == set()


def test_a_constraint_is_validated_once_it_holds_for_new_rows():
    add_it, validate = AddConstraintNotValid(MODEL, POSITIVE), ValidateConstraint(MODEL, "positive")

    assert rules(add_it) == set()
    assert rules(from_state_alone(migrations.AddConstraint(MODEL, POSITIVE)), validate) == set()


def test_column_is_removed_in_three_releases():
    """Nullable, then out of the models, then out of the table."""
    nullable = models.CharField(max_length=32, null=True)
    make_nullable = migrations.AlterField(MODEL, "auth", nullable)
    remove_from_models = from_state_alone(migrations.RemoveField(MODEL, "auth"))

    assert rules(make_nullable) == set()
    assert rules(make_nullable, remove_from_models) == set()
    assert rules(DROP_COLUMN, version="1.1.0", unused_since="1.0.0") == set()


@pytest.mark.parametrize("version", ["1.0.0", "0.9.9"])
def test_nothing_is_dropped_in_the_release_that_stops_using_it(version):
    assert rules(DROP_COLUMN, version=version, unused_since="1.0.0") == {
        "ban-drop-column",
        "runs-sql",
    }


def test_a_field_is_not_removed_and_dropped_at_once_however_long_it_is_unused():
    removed = rules(migrations.RemoveField(MODEL, "auth"), unused_since="0.1.0")

    assert removed == {"drops-what-models-had"}


def test_review_permits_only_the_named_rule():
    reviewed = {"runs-python": "In batches of a thousand."}

    assert rules(BACKFILL, reviewed=reviewed) == set()
    assert rules(BACKFILL, migrations.AddIndex(MODEL, INDEX), reviewed=reviewed) == {
        "require-concurrent-index-creation"
    }
    # Or it would hide what is added to the migration later.
    assert rules(add(models.TextField(null=True)), reviewed=reviewed) == {"runs-python"}


def test_the_projects_migrations_pass():
    call_command("check_migrations")


def test_the_command_reads_migrations_and_fails(tmp_path, monkeypatch, settings):
    package = tmp_path / "core_migrations_of_a_test"
    shutil.copytree(Path(core.__file__).with_name("migrations"), package)
    (package / "0003_next.py").write_text(
        "from django.db import migrations\n"
        "class Migration(migrations.Migration):\n"
        "    dependencies = [('core', '0002_database')]\n"
        "    operations = [migrations.DeleteModel('AuditEntry')]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    settings.MIGRATION_MODULES = {"core": package.name}
    errors = StringIO()

    with pytest.raises(CommandError, match="Changing the schema"):
        call_command("check_migrations", stderr=errors)

    assert errors.getvalue().startswith("core.0003_next: drops-what-models-had: ")
