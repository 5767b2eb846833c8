"""SQL in files: the present schema in each room's `sql/`, and the copies that migrations keep.

To change the schema, edit the files in `sql/`. Migrations are history: each runs the SQL file of
its own name, which stays as it was released. An app's configuration lists the files of its schema
in the order they are loaded, by the migration that first ran them:

    class WalletConfig(AppConfig):
        schema = {"0002_database": ("wallet.ledger.accounts", "wallet.ledger.posting")}
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from django.apps import AppConfig, apps

# The files of an app's schema, such as `wallet.ledger.posting`, by the name of a migration.
Schema = dict[str, tuple[str, ...]]


@cache
def sql_of(name: str) -> str:
    """Return the text of a room's file; `wallet.ledger.posting` is `ledger/sql/posting.sql`.

    Raise `FileNotFoundError` where the room has no such file.
    """
    room, _, file = name.rpartition(".")
    return resources.files(room).joinpath("sql", f"{file}.sql").read_text()


def frozen_sql(migration: str) -> str:
    """Return the SQL file beside a migration, given the migration's `__file__`."""
    return Path(migration).with_suffix(".sql").read_text()


def schemas() -> dict[AppConfig, Schema]:
    """Return the schema of each app that has one, in the order in which apps are installed."""
    return {app: app.schema for app in apps.get_app_configs() if hasattr(app, "schema")}


def freeze(app: AppConfig, migration: str) -> Path:
    """Write the present text of a migration's files beside it, and return the file written."""
    parts = (f"-- {name}\n{sql_of(name).rstrip()}\n" for name in schemas()[app][migration])
    frozen = Path(app.path) / "migrations" / f"{migration}.sql"
    frozen.write_text("\n".join(parts))
    return frozen
