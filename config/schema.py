"""Migrations run as the owner of the schema, whatever role this process works as."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management import call_command
from django.db import connection

from config import databases

LOGIN = ("NAME", "USER", "PASSWORD", "HOST", "PORT")


def migrate_as_owner(*, verbosity: int = 0) -> None:
    """Bring the schema up to date as its owner, then go on as before."""
    with _as_owner():
        call_command("migrate", verbosity=verbosity, interactive=False)


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
