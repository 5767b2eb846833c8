"""Seals what has been posted with a chain of hashes, behind the postings (wallet/sql/seals.sql)."""

from __future__ import annotations

from datetime import date

from django.db.models.functions import TruncDate

from wallet.models import Seal

# About so many transfers per block: a long absence is caught up with in steps.
TRANSFERS_MAX = 10_000


def seal_ledger() -> list[Seal]:
    """Seal every finished transfer; return the new seals, none when there is nothing new.

    Each block is a database transaction of its own, and whoever seals at the same moment waits.
    """
    made = []
    while new := list(Seal.objects.raw("SELECT * FROM ledger_seal(%s)", [TRANSFERS_MAX])):
        made += new
    return made


def daily_head(day: date) -> Seal | None:
    """Return the last seal made on one of the house's days: print it, and keep it elsewhere."""
    made = Seal.objects.annotate(day=TruncDate("sealed_at")).filter(day=day)
    return made.latest_first().first()
