"""Write each migration's SQL to a file beside it, so that later changes of `sql/` do not affect it.

To be run once, for release 1.0. A migration that has such a file keeps it: afterwards each change
of the schema needs a new migration.
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
                self.stdout.write(str(frozen or f"{app}.{migration} is frozen already"))
