"""The start of an audit: the beginning, or the seal at which the last clean full audit began."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction

from core.clock import database_now
from wallet.audit.models import AuditedBalance, AuditedTable, AuditRun, Seal

# A short audit does not build on an older full audit, since a nightly run was missed then.
BUILDS_ON_FOR = timedelta(hours=36)
# Transfers get their ids before they wait for accounts, so some with lower ids may commit later.
# This many are examined again.
OVERTAKEN_MAX = 1_000
_NEXT_TRANSFER = """
    SELECT coalesce(least(max(id) + 1, min(id) FILTER (WHERE xid >= %s)), 0) FROM wallet_transfer
"""
_FIRST_NEW_TRANSFER = "SELECT least(%s, min(id)) FROM wallet_transfer WHERE xid >= %s"
_BALANCES = "SELECT kind, currency, balance_minor, entries FROM wallet_balances_before()"
_NEWEST_KEYS = "SELECT relation, newest FROM wallet_newest_keys()"
SET = """
    SELECT set_config(name, value, true)
    FROM unnest(%s::text[], %s::text[]) AS setting (name, value)
"""


@dataclass(frozen=True)
class Start:
    """The seal after which an audit starts, and the run that found the rest to be clean."""

    run: int = 0
    seal_number: int = 0
    seal_hash: str = ""
    to_xid: int = 0
    next_transfer: int = 0

    @property
    def is_beginning(self) -> bool:
        return self.run == 0

    def settings(self) -> dict[str, str]:
        """Return the settings by which statements find new rows (`sql/since.sql`)."""
        return {
            "wallet.audit_run": str(self.run),
            "wallet.audit_xid": str(self.to_xid),
            "wallet.audit_transfer": str(self.next_transfer),
            "wallet.audit_seal": str(self.seal_number + 1),
        }


BEGINNING = Start()


@dataclass(frozen=True)
class Position:
    """The newest seal, the balances at it, and the newest rows of watched tables."""

    start: Start
    balances: tuple[tuple[str, str, int, int], ...]
    newest_keys: tuple[tuple[str, int], ...]


def last_clean_start() -> Start:
    """Return the start of a short audit: `BEGINNING` without a clean, recent full audit."""
    run = AuditRun.objects.full().first()
    if run is None or run.differences or run.ran_at < database_now() - BUILDS_ON_FOR:
        return BEGINNING
    # A transfer being posted when that run began may have a lower id.
    known = max(0, run.next_transfer - OVERTAKEN_MAX)
    [[first]] = _rows(_FIRST_NEW_TRANSFER, [known, run.to_xid])
    return Start(run.pk, run.seal_number, run.seal_hash, run.to_xid, first)


def position() -> Position:
    """Return the current position, for short audits that build on a full one that begins now."""
    head = Seal.objects.latest_first().first()
    number, digest, xid = (head.number, head.hash, head.to_xid) if head else (0, "", 0)
    [[next_transfer]] = _rows(_NEXT_TRANSFER, [xid])
    start = Start(0, number, digest, xid, next_transfer)
    with transaction.atomic():
        settings = start.settings()
        _rows(SET, [list(settings), list(settings.values())])
        balances, newest_keys = _rows(_BALANCES), _rows(_NEWEST_KEYS)
    return Position(start, tuple(balances), tuple(newest_keys))


def keep(position: Position, *, run: AuditRun) -> None:
    """Save a position with the run that found it to be clean."""
    AuditedBalance.objects.bulk_create(
        AuditedBalance(
            run=run, account_kind=kind, currency=currency, balance_minor=balance, entries=entries
        )
        for kind, currency, balance, entries in position.balances
    )
    AuditedTable.objects.bulk_create(
        AuditedTable(run=run, relation=relation, newest=newest)
        for relation, newest in position.newest_keys
    )


def _rows(sql: str, values: list[Any] | None = None) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[Any] = cursor.fetchall()
    return rows
