"""SQL files of the schema in each package's `sql/`, and the frozen copies of releases.

To change the schema, edit the files in `sql/`. An app's configuration lists them in loading order,
by the migration that loads them:

    class WalletConfig(AppConfig):
        schema = {"0002_database": ("wallet.ledger.accounts", "wallet.ledger.posting")}

Until the first release a migration runs the present files. `manage.py freeze_sql` then writes a
copy of each migration's SQL beside it, and a migration with a copy runs the copy.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from django.db import connections, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.state import ProjectState

from core.db.binaries import CHECKOUT

# The files of an app's schema, such as `wallet.ledger.posting`, by the name of a migration.
Schema = dict[str, tuple[str, ...]]

# Applied after every migration.
DATABASE_RIGHTS: Final = "core.db.database"
RIGHTS: Final = (
    DATABASE_RIGHTS,
    "core.db.rights",
    "core.db.login_rights",
    "core.db.finite_dates",
)

FIRST_MIGRATION = re.compile(r"^    initial = True$", re.MULTILINE)


@cache
def sql_of(name: str) -> str:
    """Return the text of a SQL file; `wallet.ledger.posting` is `wallet/ledger/sql/posting.sql`.

    Raise `FileNotFoundError` if there is no such file. No package is imported.
    """
    package, _, file = name.rpartition(".")
    return CHECKOUT.joinpath(*package.split("."), "sql", f"{file}.sql").read_text()


def sql_of_migration(app: str, migration: str) -> str:
    """Return the SQL of a migration: its frozen copy, else the present files of its list."""
    frozen = frozen_copy(app, migration)
    return frozen.read_text() if frozen.exists() else _present_sql(app, migration)


def frozen_copy(app: str, migration: str) -> Path:
    """Return the path of a migration's frozen SQL."""
    return CHECKOUT / app / "migrations" / f"{migration}.sql"


def freeze(app: str, migration: str) -> Path | None:
    """Write a migration's present SQL to a file beside it; return None if the file exists."""
    frozen = frozen_copy(app, migration)
    if frozen.exists():
        return None
    frozen.write_text(_present_sql(app, migration))
    return frozen


@cache
def schemas() -> dict[str, Schema]:
    """Return the schemas by app label; Django need not be set up."""
    found: dict[str, Schema] = {}
    for configuration in sorted(CHECKOUT.glob("*/apps.py")):
        app = configuration.parent.name
        for value in vars(import_module(f"{app}.apps")).values():
            # By `type()`: `isinstance` would set up the settings, which a module may have imported.
            if type(value) is type and "schema" in vars(value):
                found[app] = vars(value)["schema"]
    return found


@cache
def schema_hash() -> str:
    """Return a hash of the sources of a new database: first migrations and the SQL they run.

    Both are edited in place until the first release. SQL that no migration runs is left out: the
    audit's queries are read when it runs, and rights are granted after every `migrate`.
    """
    digest = hashlib.sha256()
    for source in sorted(CHECKOUT.glob("*/migrations/*.py")):
        text = source.read_text()
        if FIRST_MIGRATION.search(text):
            app, migration = source.parts[-3], source.stem
            sql = sql_of_migration(app, migration) if migration in schemas().get(app, {}) else ""
            digest.update(f"{app}.{migration}\0{text}\0{sql}\0".encode())
    return digest.hexdigest()


def grant_rights(*, using: str, **_signal: Any) -> None:
    """Grant and revoke rights and add missing checks, as the owner of the schema.

    The rights of the application's role and the checks on dates are reapplied after every
    migration: a column that it adds has neither, and a copy of the database lacks the rights on the
    database itself.
    """
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for file in RIGHTS:
            cursor.execute(sql_of(file))


def _present_sql(app: str, migration: str) -> str:
    parts = schemas()[app][migration]
    return "\n".join(f"-- {name}\n{sql_of(name).rstrip()}\n" for name in parts)


class InitialMigration(Migration):
    """Create all models of an app at once.

    Django rebuilds all related models after each operation, and here almost all models refer to the
    player: this took most of the time of migrating a new database. The operations must be
    `CreateModel`, with indexes and constraints in its options, and `RunSQL`; all of them are
    applied to the migration's final state.
    """

    def apply(
        self,
        project_state: ProjectState,
        schema_editor: BaseDatabaseSchemaEditor,
        collect_sql: bool = False,  # As in Django's own method.
    ) -> ProjectState:
        before = project_state.clone()
        project_state.__dict__.pop("apps", None)  # Rebuilt completely on the next access.
        for operation in self.operations:
            operation.state_forwards(self.app_label, project_state)
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, before, project_state)
        return project_state
