"""Django's `migrate`, which first compares the database's schema hash with the sources'."""

from __future__ import annotations

from typing import Any, Final

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections, transaction

from core.db import made_by

# As JSON, because the column may be missing in a schema of other sources.
IS_DEMO: Final = "SELECT to_jsonb(h) -> 'is_demo' = 'true' FROM wallet_installation AS h"
# Migrations create objects only in these schemas; `public` is recreated as in a new database.
EMPTY: Final = """
    SET LOCAL lock_timeout = '10s';
    DROP SCHEMA IF EXISTS months CASCADE;
    DROP SCHEMA public CASCADE;
    CREATE SCHEMA public AUTHORIZATION pg_database_owner;
    GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        using: str = options["database"]
        only_looks = options["plan"] or options["check_unapplied"]
        with transaction.atomic(using=using), connections[using].cursor() as cursor:
            if made_by.is_outdated(cursor):
                if only_looks or not _is_demo(cursor):
                    raise CommandError(made_by.REFUSAL)
                self.stdout.write(made_by.REBUILT)
                cursor.execute(EMPTY)
            if not only_looks:
                made_by.record(cursor)
        super().handle(*args, **options)


def _is_demo(cursor: Any) -> bool:
    """Return whether the database is marked as a demo's, as no database with real money is."""
    cursor.execute("SELECT to_regclass('public.wallet_installation') IS NOT NULL")
    if cursor.fetchone() == (False,):
        return False
    cursor.execute(IS_DEMO)
    return bool(cursor.fetchone() == (True,))
