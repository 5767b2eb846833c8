"""Archive a month of a partitioned table to a file, and restore it.

The compressed file has one line of JSON that describes it, then the rows in PostgreSQL's COPY
format. `ArchivedMonth` stores its hash, and a file with another hash is refused.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from core.db.schema import sql_of
from core.partitions.models import ArchivedMonth
from core.partitions.partitions import Month

FORMAT: Final = "rummy month 1"
BLOCK: Final = 1 << 20
DETACH_TRIES: Final = 20
# Characters that COPY escapes as a backslash and a letter.
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COLUMNS: Final = """
    SELECT attname FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""


class MonthNotArchived(Exception):
    """The month stays in the database; only a file may have been written."""


class MonthNotRestored(Exception):
    """The file is not the one that was archived, or its month is in the database."""


@transaction.atomic(durable=True)
def archive_month(month: Month, directory: Path) -> ArchivedMonth:
    """Write a month to a new file, verify the file, and drop the month from the database.

    Raise `MonthNotArchived` if the month has unfinished rows, the file exists, or the table could
    not be locked.
    """
    path = directory / f"{month.relation}-{month.first_day:%Y-%m}.gz"
    if path.exists():
        raise MonthNotArchived(f"{path} exists already; an archive is never overwritten.")
    with connection.cursor() as cursor:
        # Blocks writers from here on, but not readers.
        cursor.execute(f"LOCK TABLE {month.partition} IN SHARE MODE")
        _refuse_unfinished(cursor, month)
        rows, sha256 = _write(cursor, month, path)
        with ExitStack() as undo:
            undo.callback(path.unlink)  # The month stays in the database, so its file is removed.
            _detach(cursor, month)
            made = ArchivedMonth.objects.create(
                relation=month.relation,
                month=month.first_day,
                row_count=rows,
                file=path.name,
                sha256=sha256,
                archived_at=timezone.now(),
            )
            cursor.execute(f"DROP TABLE {month.partition}")
            undo.pop_all()
    return made


def _refuse_unfinished(cursor: Any, month: Month) -> None:
    """Raise `MonthNotArchived` with the first reasons given by the apps."""
    cursor.execute("SELECT set_config('months.asked', %s, true)", [month.first_day.isoformat()])
    for question in settings.MONTHS_UNFINISHED.get(month.relation, ()):
        cursor.execute(sql_of(question))
        if reasons := [reason for (reason,) in cursor.fetchall()]:
            raise MonthNotArchived(f"{month.first_day:%Y-%m}: {'; '.join(reasons)}")


def _write(cursor: Any, month: Month, path: Path) -> tuple[int, str]:
    """Write the file, readable only by its owner; return its row count and hash as read again."""
    cursor.execute(_COLUMNS, [month.partition])
    columns = [name for (name,) in cursor.fetchall()]
    head = {"format": FORMAT, "relation": month.relation, "month": f"{month.first_day:%Y-%m}"}
    part = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                packed.write(json.dumps(head | {"columns": columns}).encode() + b"\n")
                with cursor.copy(f"COPY {month.partition} ({_list(columns)}) TO STDOUT") as copy:
                    for block in copy:
                        packed.write(block)
            file.flush()
            os.fsync(file.fileno())
        cursor.execute(f"SELECT count(*) FROM {month.partition}")  # noqa: S608
        (there,) = cursor.fetchone()
        # COPY ends each row with a line break and escapes line breaks inside a row.
        rows = sum(block.count(b"\n") for block in _unpacked(part)) - 1
        if rows != there:
            raise MonthNotArchived(f"{part} has {rows} rows, {month.partition} has {there}.")
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    return rows, sha256_of(path)


def _detach(cursor: Any, month: Month) -> None:
    """Detach the month; wait for locks half a second at a time."""
    cursor.execute("SET LOCAL lock_timeout = '500ms'")
    for _ in range(DETACH_TRIES):
        try:
            with transaction.atomic():
                cursor.execute(f"ALTER TABLE {month.relation} DETACH PARTITION {month.partition}")
        except OperationalError:
            time.sleep(0.5)
        else:
            return
    raise MonthNotArchived(
        f"{month.relation} could not be locked because it is in use; try again later."
    )


def restore_month(path: Path) -> ArchivedMonth:
    """Restore an archived month from its file.

    The table itself is locked only briefly, after the month is filled and checked. Raise
    `MonthNotRestored` if the file is not the one that was archived.
    """
    head = _head(path)
    first_day = date.fromisoformat(f"{head['month']}-01")
    known = ArchivedMonth.objects.away().filter(relation=head["relation"], month=first_day).first()
    if known is None:
        raise MonthNotRestored(f"{head['relation']} of {head['month']} is not archived.")
    if sha256_of(path) != known.sha256:
        raise MonthNotRestored(f"{path} is not the file that was archived: its hash differs.")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT day::text FROM core_monthly_tables() WHERE relation::text = %s",
            [known.relation],
        )
        (day,) = cursor.fetchone()
        cursor.execute("SELECT core_month_name(%s::regclass, %s)", [known.relation, known.month])
        (partition,) = cursor.fetchone()
        month = Month(known.relation, day, known.month, partition)
        _fill(cursor, month, path, head["columns"], known.row_count)
        _attach(cursor, month, known)
    return known


def _fill(cursor: Any, month: Month, path: Path, columns: list[str], expected: int) -> None:
    """Create and fill the month beside its table; drop the remains of an earlier attempt."""
    with transaction.atomic():
        cursor.execute(
            "SELECT core_draft_month(%s::regclass, %s, %s)",
            [month.relation, month.day, month.first_day],
        )
        with cursor.copy(f"COPY {month.partition} ({_list(columns)}) FROM STDIN") as copy:
            blocks = _unpacked(path)
            copy.write(next(blocks).partition(b"\n")[2])
            for block in blocks:
                copy.write(block)
        cursor.execute(f"SELECT count(*) FROM {month.partition}")  # noqa: S608
        if cursor.fetchone() != (expected,):
            raise MonthNotRestored(f"{path} does not have the {expected} rows that were archived.")


def _attach(cursor: Any, month: Month, known: ArchivedMonth) -> None:
    values = [month.relation, month.first_day]
    with transaction.atomic():
        cursor.execute("SELECT core_tie_month(%s::regclass, %s)", values)
    with transaction.atomic():
        cursor.execute("SELECT core_check_month(%s::regclass, %s)", values)
    with transaction.atomic():
        cursor.execute("SELECT core_attach_month(%s::regclass, %s)", values)
        known.restored_at = timezone.now()
        known.save(update_fields=["restored_at"])


def _head(path: Path) -> dict[str, Any]:
    try:
        head: dict[str, Any] = json.loads(next(_unpacked(path)).partition(b"\n")[0])
    except (OSError, EOFError, ValueError, StopIteration) as error:
        raise MonthNotRestored(f"{path} is not an archived month.") from error
    if head.get("format") != FORMAT:
        raise MonthNotRestored(f"{path} is not an archived month of this version.")
    return head


def _unpacked(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") as packed:
        while block := packed.read(BLOCK):
            yield block


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a file as texts by column name; null is an empty text.

    Raise `MonthNotRestored` for a file that is not an archived month. The caller must check that it
    is the one that was archived (`sha256_of`).
    """
    columns = _head(path)["columns"]
    with gzip.open(path, "rb") as packed:
        next(packed)
        for line in packed:
            values = line.rstrip(b"\n").decode().split("\t")
            yield dict(zip(columns, map(_unescaped, values), strict=True))


def _unescaped(value: str) -> str:
    """Return one value of COPY's text format, unescaped."""
    if value == r"\N":
        return ""
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), value)


def sha256_of(path: Path) -> str:
    """Return the file's SHA-256 in hexadecimal, as in `ArchivedMonth`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _list(columns: list[str]) -> str:
    return ", ".join(map(connection.ops.quote_name, columns))
