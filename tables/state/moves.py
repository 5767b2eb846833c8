"""Save one move; the caller announces it afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

import rummy
from core.db.pipeline import Rows
from core.db.statements import (
    Query,
    Statement,
    columns,
    commit_pipeline,
    execute_pipeline,
    model_from_row,
)
from tables.models.deals import Deal, Move
from tables.models.tables import Table
from tables.state import phases
from tables.state.fold import Fold, remember
from tables.state.locks import LockedTable
from tables.state.publishing import saving
from tables.state.rules import family_of

_INSERT: Final = Statement(
    "INSERT INTO tables_move"  # noqa: S608  Names of our own columns.
    " (table_id, deal_id, dealt_on, ply, seat_id, text, origin, move_id, version, due_at, made_at)"
    f" VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING {columns('tables_move', Move)}"
)


@dataclass(frozen=True, slots=True)
class PreparedMove:
    """A move that `rummy` has accepted but that is not saved yet."""

    table: LockedTable
    deal: Deal
    # The deal after the move, whose key is not known yet.
    fold: Fold
    # The parameters of `_INSERT`.
    values: tuple[object, ...]


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
    """Apply the move in `rummy`, and update the table's phase and clock accordingly.

    The move includes the extra time used, so that every bank follows from the moves (ADR 3).
    """
    if extra_ms:
        move = replace(move, extra_ms=extra_ms)
        # The time counted here must not be counted again if the same turn continues.
        phases.arm(table, 0, now)
    state = family_of(table.profile).apply(fold.state, move)

    table.version += 1
    phases.follow(table, deal, before=fold.state, after=state, now=now)
    due_at = table.due_at if table.phase != Table.Phase.SETTLING else None
    made = (fold.ply + 1, seat_id, str(move), origin, move_id, table.version, due_at, now)
    return PreparedMove(
        table, deal, fold.after(move, state), (table.pk, deal.pk, deal.dealt_on, *made)
    )


def save_move(prepared: PreparedMove) -> Fold:
    """Save the move as the deal's next ply, and the table's state after it."""
    _, fold = _saved(prepared, execute_pipeline(*_writing(prepared)))
    return fold


def save_move_and_commit(prepared: PreparedMove) -> Move:
    """Save the move and the table, and commit; nothing may be written afterwards."""
    row, _ = _saved(prepared, commit_pipeline(*_writing(prepared)))
    return row


def _writing(prepared: PreparedMove) -> tuple[Query, Query]:
    return saving(prepared.table), (_INSERT, prepared.values)


def _saved(prepared: PreparedMove, written: list[Rows]) -> tuple[Move, Fold]:
    _, [inserted] = written
    row = model_from_row(Move, inserted, deal=prepared.deal)
    fold = replace(prepared.fold, move_pk=row.pk)
    remember(fold)
    return row, fold
