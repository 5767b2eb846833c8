"""Writing one move down; the caller holds the table's lock and publishes afterwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

import rummy
from tables.models import Deal, Move, Table
from tables.rules import family_of
from tables.services import phases
from tables.state import Fold, remember


def append(
    table: Table,
    deal: Deal,
    fold: Fold,
    *,
    seat_id: int,
    move: rummy.Move,
    origin: Move.Origin,
    now: datetime,
    move_id: UUID | None = None,
    extra_ms: int = 0,
) -> tuple[Move, Fold]:
    """Apply the move in `rummy`, keep it as the deal's next ply and move the table on.

    Extra time is noted in the move itself, so that the fold knows every bank (ARCHITECTURE 6).
    """
    if extra_ms:
        move = replace(move, extra_ms=extra_ms)
        # What is noted here must not be counted again should the same turn go on.
        phases.arm(table, 0, now)
    state = family_of(table.profile).apply(fold.state, move)

    table.version += 1
    phases.follow(table, deal, before=fold.state, after=state, now=now)
    row = Move.objects.create(
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
    after = Fold(deal.pk, row.ply, row.pk, state)
    remember(after)
    return row, after
