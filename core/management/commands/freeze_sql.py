"""Write beside each migration the SQL that it runs, so that later changes of `sql/` leave it alone.

For the release 1.0, once. A migration that has such a file keeps it: afterwards a change of the
schema needs a migration of its own.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core.db.schema import freeze, schemas


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        for app, schema in schemas().items():
            for migration in schema:
                frozen = freeze(app, migration)
                self.stdout.write(str(frozen or f"{app}.{migration} has been frozen before"))
