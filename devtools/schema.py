"""Migrations as the owner of the schema, for processes with any role."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config import databases
from core.db import made_by

LOGIN = ("NAME", "USER", "PASSWORD", "HOST", "PORT")


def migrate_as_owner(*, verbosity: int = 0) -> None:
    """Migrate as the owner of the schema, then return to the present role."""
    with _as_owner():
        with connection.cursor() as cursor:
            is_outdated = made_by.is_outdated(cursor)
        if not is_outdated:  # Otherwise `migrate` rebuilds or refuses the database.
            refuse_unknown_migrations()
        call_command("migrate", verbosity=verbosity, interactive=False)


def refuse_unknown_migrations() -> None:
    """Raise `CommandError` if the database has migrations that do not exist in this code."""
    loader = MigrationLoader(connection, replace_migrations=False)
    if loader.applied_migrations.keys() - loader.disk_migrations.keys():
        raise CommandError(
            "This data was created by another version and cannot be migrated: move it away "
            "(the demo's data is in `.rummy/`) and start again."
        )


def mark_demo() -> None:
    """Mark a database without transfers as a demo's, whose owner may shift the ledger's clock."""
    with _as_owner(), connection.cursor() as cursor:
        cursor.execute("SELECT ledger_mark_demo() WHERE NOT EXISTS (SELECT FROM wallet_transfer)")


@contextmanager
def _as_owner() -> Iterator[None]:
    database: dict[str, Any] = connection.settings_dict
    before = dict(database)
    _reconnect()
    owner = databases.owner()
    database.update({name: owner[name] for name in LOGIN})
    database["OPTIONS"] = {k: v for k, v in before["OPTIONS"].items() if k != "session"}
    try:
        yield
    finally:
        _reconnect()
        database.update(before)


def _reconnect() -> None:
    connection.close()
    # Pooled connections keep the settings they were opened with.
    connection.close_pool()  # type: ignore[attr-defined]  # Django's own, newer than its stubs.
