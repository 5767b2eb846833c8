"""Write the whole database to a file for `manage.py restore`, while the database is in use."""

from __future__ import annotations

import hashlib
import os
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.db.programs import refuse_all_but_the_owner, run_program


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="must not exist yet")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"].resolve()
        if file.exists():
            raise CommandError(f"{file} exists already; a backup never overwrites a file.")
        if not file.parent.is_dir():
            raise CommandError(f"{file.parent} is not a directory.")
        refuse_all_but_the_owner()
        part = file.with_name(f"{file.name}.part")
        began = time.monotonic()
        try:
            # The file contains all data, so only its owner may read it.
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
            # The schema has no large objects, so -B leaves them out: one created by another login
            # would stop the dump, because only that login may read it.
            run_program("pg_dump", "--format=custom", "-B", f"--file={part}")
            # Renamed at the end, so that a file of this name is always complete.
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
        with file.open("rb") as made:
            sha256 = hashlib.file_digest(made, "sha256").hexdigest()
        size, seconds = file.stat().st_size, time.monotonic() - began
        self.stdout.write(f"{file}: {size} bytes in {seconds:.1f} s, SHA-256 {sha256}")
