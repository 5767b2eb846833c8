"""The migrations create the schema of the present models and SQL files."""

import re
from collections import Counter

import pytest
from django.apps import apps
from django.db import connection, connections
from django.db.migrations import CreateModel, RunSQL
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from core.db import made_by
from core.db.binaries import CHECKOUT
from core.db.schema import InitialMigration, grant_rights, schemas, sql_of

PRESENT = "present_schema"
INDEXES = "SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
REGISTERS = """
    SELECT 'currency ' || code, exponent::text FROM wallet_currency
    UNION ALL SELECT 'rate ' || tax || starts_on, bps || treatment || law FROM wallet_taxrate
"""
FUNCTION_MADE = re.compile(r"^CREATE (?:OR REPLACE )?FUNCTION (\w+)", re.MULTILINE)
FILE_NAMED = re.compile(r"^-- ((?:\w+\.)+\w+)$", re.MULTILINE)
WHAT_TO_DO = (
    "The migrations do not lead to the present models and */sql/. Before the first release write "
    "changes of models into 0001_initial; afterwards write a migration whose SQL makes these "
    "objects what */sql/ says"
)


@pytest.fixture
def present():
    """Return a connection to a database made of today's models and SQL, without migrations."""
    maker = _as_owner()
    with maker.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {PRESENT}")
        cursor.execute(f"CREATE DATABASE {PRESENT} TEMPLATE template0")
    made = _as_owner(PRESENT)
    made.settings_dict["NAME"] = PRESENT
    connections[PRESENT] = made
    try:
        _make_schema(made)
        yield made
    finally:
        made.close()
        made.close_pool()
        del connections[PRESENT]
        with maker.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {PRESENT} WITH (FORCE)")
        maker.close()


def _as_owner(alias=None):
    """Return a connection that acts as the owner of the schema."""
    other = connection.copy(alias)
    other.settings_dict["OPTIONS"].pop("assume_role", None)
    return other


def _make_schema(made):
    MigrationRecorder(made).ensure_schema()
    graph = MigrationLoader(None).graph
    leaves = [graph.forwards_plan(leaf) for leaf in graph.leaf_nodes()]
    order = list(dict.fromkeys(node for plan in leaves for node in plan))
    files = {
        (app, migration): parts
        for app, schema in schemas().items()
        for migration, parts in schema.items()
    }
    before = [node for node in order if node in files and node[1] == "0001_initial"]
    after = [node for node in order if node in files and node[1] != "0001_initial"]
    # The first file of an app makes functions that constraints of its tables ask.
    with made.cursor() as cursor:
        made_by.record(cursor)
        for node in before:
            for name in files[node]:
                cursor.execute(sql_of(name))
    with made.schema_editor() as editor:
        for model in apps.get_models(include_auto_created=False):
            if model._meta.managed and not model._meta.proxy:
                editor.create_model(model)
    with made.cursor() as cursor:
        for node in after:
            for name in files[node]:
                cursor.execute(sql_of(name))
    grant_rights(using=PRESENT)


def _objects(db):
    """Return each object of the schema that is of our apps, and what it is."""
    found = {}
    with db.cursor() as cursor:
        cursor.execute("SELECT set_config('search_path', 'pg_catalog, public, pg_temp', true)")
        for asked in (sql_of("wallet.audit.schema_facts"), INDEXES, REGISTERS):
            cursor.execute(asked)
            found |= dict(cursor.fetchall())
    labels = "|".join(schemas())
    ours = re.compile(rf"(table|unique index|index|constraint \S+ on) ({labels}|ledger)_")
    of_tables = re.compile(r"(table|unique index|index|constraint \S+ on) ")
    return {name: f for name, f in found.items() if not of_tables.match(name) or ours.match(name)}


@pytest.mark.extended
@pytest.mark.django_db(transaction=True)
def test_the_migrations_lead_to_the_present_schema(present, owner):
    with owner():
        migrated = _objects(connection)
    now = _objects(present)

    differing = sorted(
        name for name in migrated.keys() | now.keys() if migrated.get(name) != now.get(name)
    )
    assert len(now) > 1000
    assert differing == [], f"{WHAT_TO_DO}: {', '.join(differing)}"


def test_every_file_of_a_schema_is_loaded_once_and_no_function_is_made_twice():
    listed = [name for schema in schemas().values() for parts in schema.values() for name in parts]
    loaded_otherwise = {
        "core.db.rights",
        "core.db.login_rights",
        "core.db.finite_dates",
        "core.db.schema_hash",
        "wallet.audit.schema_facts",
        "tables.models.distribution",
        "tables.history.unfinished_month",
    }
    files = {
        ".".join((*path.relative_to(CHECKOUT).parts[:-2], path.stem))
        for path in CHECKOUT.glob("*/**/sql/*.sql")
    }
    questions = {name for name in files if name.rpartition(".")[2].startswith("audit")}
    questions -= {"core.db.audit_entries"}

    assert sorted(listed) == sorted(files - questions - loaded_otherwise)
    made = Counter(name for part in listed for name in FUNCTION_MADE.findall(sql_of(part)))
    assert [name for name, times in made.items() if times > 1] == []


def test_each_migration_of_a_schema_runs_the_files_of_its_list():
    loader = MigrationLoader(None)
    listed = [(app, migration) for app, schema in schemas().items() for migration in schema]
    running = [
        (app, migration.name)
        for (app, _), migration in loader.disk_migrations.items()
        for made in migration.operations
        if app in schemas() and isinstance(made, RunSQL) and str(made.sql).startswith("-- ")
    ]

    assert sorted(running) == sorted(listed)
    assert len(listed) >= 9
    for app, name in listed:
        operations = loader.disk_migrations[app, name].operations
        [sql] = [
            str(o.sql) for o in operations if isinstance(o, RunSQL) and str(o.sql)[:3] == "-- "
        ]
        assert FILE_NAMED.findall(sql) == list(schemas()[app][name])
        assert all(sql_of(part).rstrip() in sql for part in schemas()[app][name])


def test_a_first_migration_makes_models_and_runs_sql_alone():
    """Its operations are applied to the state they lead to together."""
    migrations = MigrationLoader(None).disk_migrations.values()
    first = [migration for migration in migrations if isinstance(migration, InitialMigration)]

    assert {migration.app_label for migration in first} >= {"wallet", "tables", "tournaments"}
    assert {type(made) for migration in first for made in migration.operations} == {
        CreateModel,
        RunSQL,
    }


# Plain indexes whose columns, with their operator classes, begin another index of the table.
COVERED = """
    SELECT narrow.indexrelid::regclass::text, wide.indexrelid::regclass::text
    FROM pg_index narrow
    JOIN pg_index wide ON wide.indrelid = narrow.indrelid AND wide.indexrelid <> narrow.indexrelid
    WHERE narrow.indrelid::regclass::text = ANY (%s)
      AND NOT narrow.indisunique
      AND narrow.indpred IS NULL AND wide.indpred IS NULL
      AND narrow.indexprs IS NULL AND wide.indexprs IS NULL
      AND wide.indkey::text || ' ' LIKE narrow.indkey::text || ' %%'
      AND wide.indclass::text || ' ' LIKE narrow.indclass::text || ' %%'
    ORDER BY 1, 2
"""
# Django gives many-to-many tables both.
OF_DJANGO = {"players_user_groups", "players_user_user_permissions"}


@pytest.mark.django_db
def test_no_index_is_covered_by_another():
    own = {"core", "players", "wallet", "tables", "tournaments", "finance", "staff"}
    relations = {m._meta.db_table for m in apps.get_models() if m._meta.app_label in own}
    assert "tables_move" in relations

    with connection.cursor() as cursor:
        cursor.execute(COVERED, [sorted(relations - OF_DJANGO)])
        assert cursor.fetchall() == []


@pytest.mark.django_db
def test_moves_have_three_indexes():
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'tables_move'")
        names = {name for (name,) in cursor.fetchall()}

    assert names == {"tables_move_pkey", "tables_move_ply_once", "tables_move_id_once_per_seat"}
