"""Writing one move down; the caller announces it afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

import rummy
from core.db.pipeline import Rows
from core.db.statements import Query, Statement, commit_pipeline, execute_pipeline
from tables.dealing.state import Fold, remember
from tables.table import phases
from tables.table.announcing import saving
from tables.table.deal_models import Deal, Move
from tables.table.locks import LockedTable
from tables.table.models import Table
from tables.table.rules import family_of

_INSERT: Final = Statement(
    "INSERT INTO tables_move"
    " (deal_id, ply, seat_id, text, origin, move_id, version, due_at, made_at)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id"
)


@dataclass(frozen=True, slots=True)
class PreparedMove:
    """A move that `rummy` has accepted and nothing has written yet; its row has no key."""

    table: LockedTable
    row: Move
    state: rummy.AnyDeal


def prepare_move(
    table: LockedTable,
    deal: Deal,
    fold: Fold,
    *,
    seat_id: int,
    move: rummy.Move,
    origin: Move.Origin,
    now: datetime,
    move_id: UUID | None = None,
    extra_ms: int = 0,
) -> PreparedMove:
    """Apply the move in `rummy`, and bring the table in line with it.

    Extra time is noted in the move itself, so that the fold knows every bank (ADR 3).
    """
    if extra_ms:
        move = replace(move, extra_ms=extra_ms)
        # What is noted here must not be counted again should the same turn go on.
        phases.arm(table, 0, now)
    state = family_of(table.profile).apply(fold.state, move)

    table.version += 1
    phases.follow(table, deal, before=fold.state, after=state, now=now)
    row = Move(
        deal=deal,
        ply=fold.ply + 1,
        seat_id=seat_id,
        text=str(move),
        origin=origin,
        move_id=move_id,
        version=table.version,
        due_at=table.due_at if table.phase != Table.Phase.SETTLING else None,
        made_at=now,
    )
    return PreparedMove(table, row, state)


def save_move(prepared: PreparedMove) -> Fold:
    """Write the move as the deal's next ply, and the table as it stands then."""
    return _saved(prepared, execute_pipeline(*_writing(prepared)))


def save_move_and_commit(prepared: PreparedMove) -> Move:
    """Write both and commit: nothing more is written in this transaction."""
    _saved(prepared, commit_pipeline(*_writing(prepared)))
    return prepared.row


def _saved(prepared: PreparedMove, written: list[Rows]) -> Fold:
    row = prepared.row
    _, [(row.pk,)] = written
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    after = Fold(row.deal_id, row.ply, row.pk, prepared.state)
    remember(after)
    return after


def _writing(prepared: PreparedMove) -> tuple[Query, Query]:
    row = prepared.row
    values = (
        row.deal_id,
        row.ply,
        row.seat_id,
        row.text,
        row.origin,
        row.move_id,
        row.version,
        row.due_at,
        row.made_at,
    )
    return saving(prepared.table), (_INSERT, values)
