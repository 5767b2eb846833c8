"""Migrations run as the owner of the schema, whatever role this process works as."""

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
    """Bring the schema up to date as its owner, then go on as before."""
    with _as_owner():
        with connection.cursor() as cursor:
            is_outdated = made_by.is_outdated(cursor)
        if not is_outdated:  # Else `migrate` rebuilds or refuses it.
            refuse_unknown_migrations()
        call_command("migrate", verbosity=verbosity, interactive=False)


def refuse_unknown_migrations() -> None:
    """Raise `CommandError` where migrations made the database that are not there any more."""
    loader = MigrationLoader(connection, replace_migrations=False)
    if loader.applied_migrations.keys() - loader.disk_migrations.keys():
        raise CommandError(
            "This data was made by another version and cannot be brought up to date: move it away "
            "(the demo's lies where `.rummy/` says) and start again."
        )


def mark_demo() -> None:
    """Mark a database without transfers as a demo's: its owner may shift the house's time."""
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
    # A pool hands out connections that were set when they were opened.
    connection.close_pool()  # type: ignore[attr-defined]  # Django's own, newer than its stubs.
