"""The audit's questions about taxes: every paisa owed to the state has its row, and its reason."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.db import connection

SQL = Path(__file__).parent.parent / "sql" / "audit_taxes.sql"


def tax_differences() -> list[tuple[str, str, str]]:
    """Return each difference as check, subject and detail; change nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_statement())
        return cursor.fetchall()


@cache
def _statement() -> str:
    return SQL.read_text()
