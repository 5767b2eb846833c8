"""Write the whole database to a file for `manage.py restore`, while the database is in use."""

from __future__ import annotations

import hashlib
import os
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from core.db.programs import refuse_all_but_the_owner, run_program
from core.models import AuditEntry


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
        database = _database()
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
        try:
            _record(file.name, size=size, sha256=sha256)
        except DatabaseError:  # Of another release, whose tables differ.
            self.stderr.write("The backup could not be recorded in the audit log.")
        self.stdout.write(f"Saved the database {database}.")
        self.stdout.write(f"{file}: {size} bytes in {seconds:.1f} s, SHA-256 {sha256}")


def _database() -> str:
    """Return the name and server of the database; raise `CommandError` if it has no tables."""
    settings = connection.settings_dict
    database = f"{settings['NAME']} at {settings['HOST'] or 'localhost'}"
    if not connection.introspection.table_names():
        raise CommandError(
            f"The database {database} is empty: start the demo, or set DATABASE_URL to the "
            "database of the site."
        )
    return database


def _record(name: str, *, size: int, sha256: str) -> None:
    """Write an audit entry, from which the page Setup knows the time of the last backup."""
    AuditEntry.objects.create(
        service="backup",
        act="back_up",
        kind="database",
        row=connection.settings_dict["NAME"],
        name=name[:200],
        after=f"bytes={size}\nsha256={sha256}",
    )
