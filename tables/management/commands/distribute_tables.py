"""Distribute the tables of games over the nodes of a Citus cluster, by the key of the game's table.

Runs as the owner of the schema on the cluster's coordinator, after `migrate`, and once. What it
changes, and what a cluster does not guard yet, is listed in docs/scaling.md.
"""

from __future__ import annotations

from typing import Any

import sqlparse
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from core.db.programs import refuse_all_but_the_owner
from core.db.schema import sql_of
from wallet.audit.schema_record import record_schema

FILE = "tables.models.distribution"
HAS_CITUS = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
IS_DONE = "SELECT EXISTS (SELECT FROM citus_tables WHERE table_name = 'tables_table'::regclass)"


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_all_but_the_owner()
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(HAS_CITUS)
            if cursor.fetchone() != (True,):
                raise CommandError(
                    "This database has no extension citus: CREATE EXTENSION citus on each node, "
                    "citus_add_node() on the coordinator, and come again."
                )
            cursor.execute(IS_DONE)
            if cursor.fetchone() == (True,):
                raise CommandError("The tables are distributed already.")
            # One by one: the nodes are sent the text of the whole request.
            for statement in sqlparse.split(sql_of(FILE)):
                cursor.execute(statement)
            record_schema(using=connection.alias)  # Else the audit takes it for an alteration.
        self.stdout.write("The tables of games are distributed by their keys.")
