"""Refuse migrations that lock a table in use, or break the previous release.

`core.db.migration_rules` has the rules; docs/operations.md describes how to change the schema.
"""

from __future__ import annotations

import tomllib
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.db.migration_rules import own_findings


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]
        found = own_findings(version=project["version"], within=settings.BASE_DIR)
        for finding in found:
            self.stderr.write(str(finding))
        if found:
            raise CommandError("See docs/operations.md, Changing the schema.")
