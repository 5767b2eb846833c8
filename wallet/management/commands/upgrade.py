"""Upgrade the database to this release: back it up, migrate it, and audit the ledger.

The running release goes on meanwhile; then replace its processes one after the other.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.db import made_by
from core.db.programs import refuse_all_but_the_owner

# A migration that waits for a long transaction would block all requests for its table.
LOCK_TIMEOUT = "5s"
DONE = "The database is upgraded. Now replace the processes, one after the other."


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the backup to write first")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_all_but_the_owner()
        with connection.cursor() as cursor:
            if made_by.is_outdated(cursor):
                raise CommandError(made_by.REFUSAL)
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        self.stdout.write(f"1/3 Backup; {len(plan)} migrations follow.")
        call_command("backup", str(options["file"]), stdout=self.stdout)
        self.stdout.write("2/3 Migrations")
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [LOCK_TIMEOUT])
        call_command("migrate", verbosity=0, stdout=self.stdout)
        self.stdout.write("3/3 Audit of the ledger")
        call_command("audit_ledger", stdout=self.stdout)
        self.stdout.write(DONE)
