"""Migrations run as the owner of the schema, whatever role this process works as."""

from django.core.management import call_command
from django.db import connection


def migrate_as_owner(*, verbosity: int = 0) -> None:
    """Bring the schema up to date as the login of DATABASE_URL, then step down again."""
    options = connection.settings_dict["OPTIONS"]
    role = options.pop("options", None)
    _reconnect()
    try:
        call_command("migrate", verbosity=verbosity, interactive=False)
    finally:
        if role is not None:
            options["options"] = role
        _reconnect()


def _reconnect() -> None:
    connection.close()
    # A pool hands out connections that took their role when they were opened.
    connection.close_pool()  # type: ignore[attr-defined]  # Django's own, newer than its stubs.
