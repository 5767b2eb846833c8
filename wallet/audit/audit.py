"""Recompute the whole ledger and compare it with what is stored (ADR 2)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import DataError, InternalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from core.db.long_statements import LONG
from core.db.schema import sql_of
from wallet.audit import schema_record
from wallet.audit.models import Seal
from wallet.holdings.models import Stake
from wallet.ledger.models import Account, Entry, Transfer

# Each returns its differences as (check, subject, detail) from one statement. Queries of the apps
# above are named by a setting, so that nothing is imported upwards.
QUESTIONS = (
    "wallet.audit.audit",
    "wallet.audit.audit_bonuses",
    "wallet.audit.audit_stacks",
    "wallet.audit.audit_taxes",
    "wallet.audit.audit_desk",
    "wallet.audit.audit_versions",
    "wallet.audit.audit_documents",
    "wallet.audit.audit_acts",
)
# For statements over everything: compiling them costs more than it saves, their sorts belong in
# memory, and they are worth a second core. The last four spell values as seals and records did.
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
_SET = """
    SELECT set_config(name, value, true)
    FROM unnest(%s::text[], %s::text[]) AS setting (name, value)
"""


@dataclass(frozen=True)
class Finding:
    """One difference between the stored values and the recomputed ones."""

    check: str
    subject: str
    detail: str

    def __str__(self) -> str:
        return f"{self.check}: {self.subject}: {self.detail}"


@dataclass(frozen=True)
class Report:
    findings: tuple[Finding, ...]
    accounts: int
    transfers: int
    entries: int
    stakes: int
    seconds: float

    @property
    def is_clean(self) -> bool:
        return not self.findings


def audit(*, published_head: str = "") -> Report:
    """Compare the schema with its record and every stored sum with the rows; change nothing.

    A head printed earlier must still be in the chain: a rewritten and resealed history agrees with
    itself, but not with the heads that others keep.
    """
    began = time.monotonic()
    findings = (*schema_findings(), *row_findings())
    if published_head and not Seal.objects.filter(hash=published_head).exists():
        findings += (Finding("published_head", f"head {published_head}", "no seal carries it"),)
    return Report(
        findings=findings,
        accounts=Account.objects.count(),
        transfers=Transfer.objects.count(),
        entries=Entry.objects.count(),
        stakes=Stake.objects.count(),
        seconds=round(time.monotonic() - began, 3),
    )


def schema_findings() -> tuple[Finding, ...]:
    """Return what was altered in the schema since it was migrated."""
    with _audit_cursor() as cursor:
        cursor.execute(schema_record.DIFFERENCES)
        return tuple(Finding(*row) for row in cursor.fetchall())


def row_findings() -> tuple[Finding, ...]:
    """Recompute all sums, balances, versions, escrows, stakes and seals; return what differs."""
    with _audit_cursor() as cursor:
        return tuple(
            Finding(*row)
            for question in (*QUESTIONS, *settings.LEDGER_AUDIT_SQL)
            for row in _differences(cursor, question)
        )


@contextmanager
def _audit_cursor() -> Iterator[CursorWrapper]:
    """Give a cursor with `SETTINGS`, which go with its transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SET, [list(SETTINGS), list(SETTINGS.values())])
        yield cursor
        transaction.set_rollback(True)


def _differences(cursor: CursorWrapper, question: str) -> list[tuple[str, str, str]]:
    """Run one query; rows on which it fails are reported, and the others still checked."""
    try:
        with transaction.atomic():
            cursor.execute(sql_of(question))
            rows: list[tuple[str, str, str]] = cursor.fetchall()
    except (DataError, InternalError) as error:
        [said, *_] = str(error).splitlines()
        return [("audit_failed", question, said)]
    return rows
