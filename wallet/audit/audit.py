"""Recompute the ledger and compare it with the stored values: fully, or new rows (ADR 2)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.db import DataError, InternalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.utils.module_loading import import_string

from core.db.long_statements import LONG
from core.db.schema import sql_of
from wallet.audit import schema_record
from wallet.audit.models import AuditRun, Seal
from wallet.audit.starts import BEGINNING, SET, Start

# Each returns its differences as (check, subject, detail) from one statement. A setting names the
# statements of the apps above, so that nothing is imported upwards.
QUESTIONS = (
    "wallet.audit.audit",
    "wallet.audit.audit_bonuses",
    "wallet.audit.audit_stacks",
    "wallet.audit.audit_taxes",
    "wallet.audit.audit_desk",
    "wallet.audit.audit_versions",
    "wallet.audit.audit_documents",
    "wallet.audit.audit_events",
    "wallet.audit.audit_acts",
    "wallet.audit.audit_decisions",
    "wallet.audit.audit_accounts",
)
# For statements over all rows: JIT compilation costs more than it saves, sorts should stay in
# memory, and a second core helps. The last four format values as seals and records do.
SETTINGS = {
    "jit": "off",
    "work_mem": "128MB",
    "parallel_tuple_cost": "0",
    "statement_timeout": LONG,
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "bytea_output": "hex",
    "search_path": "pg_catalog, public, pg_temp",
}
# Lines of statements that limit them to new rows end with this; a full audit removes those lines.
ONLY_NEW = "-- only new"
# Checks that the audit it builds on is still valid; for short audits only.
START = "wallet.audit.audit_start"
COUNTS = "wallet.audit.audit_counts"
# The most differences reported per statement, and in all of the checks.
MOST_FINDINGS = 1_000


@dataclass(frozen=True)
class Finding:
    """One difference between the stored values and the recomputed ones."""

    check: str
    subject: str
    detail: str

    def __str__(self) -> str:
        return f"{self.check}: {self.subject}: {self.detail}"


@dataclass(frozen=True)
class Note:
    """A remark of a check that is not a difference: what it examined, or could not read."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Report:
    kind: AuditRun.Kind
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    # The number of rows examined.
    accounts: int
    transfers: int
    entries: int
    stakes: int
    seconds: float

    @property
    def is_clean(self) -> bool:
        return not self.findings


def audit(*, start: Start = BEGINNING, published_head: str = "") -> Report:
    """Compare the schema with its record and stored sums with the rows; changes nothing.

    From the beginning all rows are examined; from another start the rows since, and whether that
    start is still valid.

    A head printed earlier must still be in the chain: a history that was rewritten and sealed again
    is consistent, but does not match the heads that others keep.
    """
    began = time.monotonic()
    findings = (*schema_findings(), *row_findings(start=start))
    more, notes = check_findings(start=start)
    findings += more
    if published_head and not Seal.objects.filter(hash=published_head).exists():
        findings += (Finding("published_head", f"head {published_head}", "no seal carries it"),)
    with _audit_cursor(start) as cursor:
        cursor.execute(statement(COUNTS, start))
        accounts, transfers, entries, stakes = cursor.fetchone()
    return Report(
        kind=AuditRun.Kind.FULL if start.is_beginning else AuditRun.Kind.SHORT,
        findings=findings,
        notes=notes,
        accounts=accounts,
        transfers=transfers,
        entries=entries,
        stakes=stakes,
        seconds=round(time.monotonic() - began, 3),
    )


def schema_findings() -> tuple[Finding, ...]:
    """Return the changes of the schema since its migration."""
    with _audit_cursor(BEGINNING) as cursor:
        cursor.execute(schema_record.DIFFERENCES)
        return tuple(Finding(*row) for row in cursor.fetchall())


def row_findings(*, start: Start = BEGINNING) -> tuple[Finding, ...]:
    """Recompute sums, balances, versions, escrows, stakes and seals; return the differences."""
    own = QUESTIONS if start.is_beginning else (START, *QUESTIONS)
    with _audit_cursor(start) as cursor:
        return tuple(
            Finding(*row)
            for question in (*own, *settings.LEDGER_AUDIT_SQL)
            for row in _differences(cursor, question, start)
        )


def check_findings(*, start: Start = BEGINNING) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Run the checks of `LEDGER_AUDIT_CHECKS`; return their differences and notes.

    Each is a function that takes the start and yields `Finding` and `Note`. They compute what SQL
    cannot and may take long, so each keeps its transactions short.
    """
    found: list[Finding] = []
    notes: list[str] = []
    for name in settings.LEDGER_AUDIT_CHECKS:
        for said in import_string(name)(start):
            if isinstance(said, Note):
                notes.append(str(said))
            elif len(found) < MOST_FINDINGS:
                found.append(said)
    return tuple(found), tuple(notes)


@cache
def _whole(question: str) -> str:
    lines = sql_of(question).splitlines()
    return "\n".join(line for line in lines if not line.endswith(ONLY_NEW))


def statement(question: str, start: Start) -> str:
    """Return a statement's text for an audit from this start."""
    return _whole(question) if start.is_beginning else sql_of(question)


@contextmanager
def _audit_cursor(start: Start) -> Iterator[CursorWrapper]:
    """Yield a cursor with `SETTINGS` and the start's settings, local to its transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        named = SETTINGS | start.settings()
        cursor.execute(SET, [list(named), list(named.values())])
        yield cursor
        transaction.set_rollback(True)


def _differences(cursor: CursorWrapper, question: str, start: Start) -> list[tuple[str, str, str]]:
    """Run one query; rows on which it fails are reported, and the others still checked."""
    try:
        with transaction.atomic():
            cursor.execute(statement(question, start))
            rows: list[tuple[str, str, str]] = cursor.fetchall()
    except (DataError, InternalError) as error:
        [said, *_] = str(error).splitlines()
        return [("audit_failed", question, said)]
    return rows
