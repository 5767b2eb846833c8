"""Write the whole database into a file that `manage.py restore` reads, while the house plays on."""

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
        parser.add_argument("file", type=Path, help="must not be there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"].resolve()
        if file.exists():
            raise CommandError(f"{file} is there already; a backup never writes over another.")
        if not file.parent.is_dir():
            raise CommandError(f"{file.parent} is no directory.")
        refuse_all_but_the_owner()
        part = file.with_name(f"{file.name}.part")
        began = time.monotonic()
        try:
            # The file holds everything, so only its owner may read it.
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
            # The house has no large objects, so -B leaves them out: one that some login has left
            # would stop the dump, because only that login may read it.
            run_program("pg_dump", "--format=custom", "-B", f"--file={part}")
            # A file of this name is always a whole backup.
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
        with file.open("rb") as made:
            sha256 = hashlib.file_digest(made, "sha256").hexdigest()
        size, seconds = file.stat().st_size, time.monotonic() - began
        self.stdout.write(f"{file}: {size} bytes in {seconds:.1f} s, SHA-256 {sha256}")
