"""The report of a simulation, computed from the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Sum

from tables.models.deals import Deal, Move
from tables.models.seats import Elimination
from tables.models.tables import Table
from tables.settlement.models import Result
from wallet.audit import audit
from wallet.ledger.models import Account, Entry, Transfer
from wallet.stakes.models import Stake


def report_on(tables: Sequence[Table], *, seconds: float, seed: str) -> dict[str, Any]:
    """Return counts of the tables' games, cards and money; `ok` is True if they are consistent."""
    pks = [table.pk for table in tables]
    escrows = Account.objects.filter(table__in=pks)
    entries = _total(Stake.objects.filter(escrow__in=escrows), "entry_minor")
    cashed_out = Entry.objects.filter(account__in=escrows, transfer__kind=Transfer.Kind.CASH_OUT)
    paid = _total(Result.objects.filter(table__in=pks), "prize_minor")
    paid -= _total(cashed_out, "amount_minor")
    rake = _total(
        Entry.objects.filter(
            account__kind=Account.Kind.RAKE, transfer__entries__account__in=escrows
        ).distinct(),
        "amount_minor",
    )
    left = _total(escrows, "balance_minor")
    moves = Move.objects.filter(deal__table__in=pks).count()
    audited = audit.audit()
    ours = Table.objects.filter(pk__in=pks)
    finished = ours.filter(phase=Table.Phase.FINISHED).count()
    out = Elimination.objects.filter(seat__table__in=pks)
    return {
        "ok": finished == len(pks) and entries == paid + rake and left == 0 and audited.is_clean,
        "seed": seed,
        "games": finished,
        "deals": Deal.objects.filter(table__in=pks).settled().count(),
        "moves": moves,
        "eliminations": out.count(),
        "rejoins": out.filter(rejoined_at__isnull=False).count(),
        "splits": ours.filter(ending="split").count(),
        "auto_splits": ours.filter(ending="auto_split").count(),
        "entries_minor": entries,
        "paid_minor": paid,
        "rake_minor": rake,
        "escrow_left_minor": left,
        "audit": "clean" if audited.is_clean else [str(finding) for finding in audited.findings],
        "seconds": round(seconds, 2),
        "moves_per_second": round(moves / seconds, 1),
    }


def _total(rows: Any, column: str) -> int:
    return rows.aggregate(total=Sum(column))["total"] or 0
