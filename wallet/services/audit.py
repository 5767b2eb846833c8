"""The third ring: recompute the whole ledger and compare (ARCHITECTURE 4)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.db import connection

from wallet.models import Account, Entry, Seal, Stake, Transfer
from wallet.services.bonus_audit import bonus_differences
from wallet.services.stacks_audit import stack_differences
from wallet.services.tax_audit import tax_differences

SQL = Path(__file__).parent.parent / "sql" / "audit.sql"


@dataclass(frozen=True)
class Finding:
    """One difference between what the ledger says and what it adds up to."""

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
    """Recompute every sum, balance, version, escrow, stake and seal; change nothing.

    A head that was printed earlier must still be in the chain: whoever rewrites a whole history and
    seals it anew can make it agree with itself, but not with what others keep.
    """
    began = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(_statement())
        findings = tuple(Finding(*row) for row in cursor.fetchall())
    findings += tuple(Finding(*row) for row in bonus_differences())
    findings += tuple(Finding(*row) for row in stack_differences())
    findings += tuple(Finding(*row) for row in tax_differences())
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


@cache
def _statement() -> str:
    return SQL.read_text()
