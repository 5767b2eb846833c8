"""Starts for short audits, as clean full audits at earlier seals would leave them."""

from __future__ import annotations

from dataclasses import replace

from django.db import connection

from wallet.audit import starts
from wallet.audit.audit import BEGINNING
from wallet.audit.models import AuditRun, Seal
from wallet.audit.starts import SET, Position, Start

# Rows are written in the order of their keys, so those a seal had seen end with the last it holds.
NEWEST_THEN = """
    SELECT k.relation, coalesce(max(v.row_key::bigint), 0)
    FROM wallet_newest_keys() AS k
    LEFT JOIN wallet_rowversion AS v ON v.relation = k.relation AND v.xid < %s
    GROUP BY k.relation
"""
BALANCES_THEN = "SELECT kind, currency, balance_minor, entries FROM wallet_balances_before()"
NEXT_TRANSFER = """
    SELECT least(max(id) + 1, min(id) FILTER (WHERE xid >= %s)) FROM wallet_transfer
"""


def start_at(seal: Seal | None) -> Start:
    """Return a start after this seal; before everything without one."""
    number, digest, xid = (seal.number, seal.hash, seal.to_xid) if seal else (0, "", 0)
    with connection.cursor() as cursor:
        cursor.execute(NEXT_TRANSFER, [xid])
        [next_transfer] = cursor.fetchone()
        start = replace(
            BEGINNING,
            seal_number=number,
            seal_hash=digest,
            to_xid=xid,
            next_transfer=next_transfer if seal else 0,
        )
        named = start.settings()
        cursor.execute(SET, [list(named), list(named.values())])
        cursor.execute(BALANCES_THEN)
        balances = tuple(cursor.fetchall())
        cursor.execute(NEWEST_THEN, [xid])
        newest = tuple(cursor.fetchall())
    run = AuditRun.objects.create(
        differences=0,
        transfers=0,
        entries=0,
        seconds=0.0,
        seal_number=number,
        seal_hash=digest,
        to_xid=xid,
        next_transfer=start.next_transfer,
    )
    starts.keep(Position(start, balances, newest), run=run)
    return replace(start, run=run.pk)


def start_before(xid: int) -> Start:
    """Return the latest start to which whatever this database transaction wrote is new."""
    return start_at(Seal.objects.filter(to_xid__lte=xid).latest_first().first())
