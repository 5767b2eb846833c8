"""Copy the present SQL of every room into the migrations that first ran it.

For use until the first release. Afterwards a migration keeps the SQL it was released with, and a
change of the present schema needs a migration of its own.
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
                self.stdout.write(str(freeze(app, migration)))
