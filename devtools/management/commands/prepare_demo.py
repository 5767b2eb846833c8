from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand

from devtools.demo_site import players_and_tables as demo_site
from devtools.schema import mark_demo, migrate_as_owner


class Command(BaseCommand):
    help = "Migrate and create the demo's players and tables; safe to repeat."
    # Only of the environment: those of the code import every page, and `make check` runs them.
    requires_system_checks = ("settings",)

    def handle(self, *args: Any, **options: Any) -> None:
        migrate_as_owner(verbosity=1)
        mark_demo()
        demo_site.furnish(password=os.environ["DEMO_PASSWORD"])
