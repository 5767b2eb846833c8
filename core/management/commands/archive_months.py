"""Move months past their retention from the database to files, while the database is in use.

`manage.py restore --month FILE` restores one.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from core.db.programs import refuse_all_but_the_owner
from core.partitions.archive import MonthNotArchived, archive_month
from core.partitions.partitions import past_retention


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("directory", type=Path, help="where the files are written")

    def handle(self, *args: Any, **options: Any) -> None:
        directory: Path = options["directory"].resolve()
        if not directory.is_dir():
            raise CommandError(f"{directory} is not a directory.")
        refuse_all_but_the_owner()
        refused = []
        for month in past_retention(timezone.now().date()):
            try:
                made = archive_month(month, directory)
            except MonthNotArchived as refusal:
                refused.append(str(refusal))
            else:
                self.stdout.write(
                    f"{made}: {made.row_count} rows in {made.file}, SHA-256 {made.sha256}"
                )
        if refused:
            raise CommandError("Not archived: " + " ".join(refused))
