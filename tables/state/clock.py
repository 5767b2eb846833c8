"""Apply clocks that have run out; used by the sweep and by commands that arrive late.

`due_at` is the only timer: the end of a phase or of a turn's own time. The seat's extra time is
added to it, and `deadline` adds the installation's outages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction

import rummy
from core.clock import NOW_SQL, DatabaseNow
from core.db.statements import Statement
from core.redis import counters
from core.tasks import enqueue
from tables.games import game_of, opening
from tables.models.deals import Deal, Move
from tables.models.tables import Table
from tables.play import client_seeds, dealing, drains
from tables.state import absence, moves, phases
from tables.state.deadlines import deadline
from tables.state.fold import Fold, fold_of_latest
from tables.state.locks import LockedTable, lock_if_free, lock_table, snapshot_of
from tables.state.outages import beat
from tables.state.publishing import publish
from tables.state.rules import family_of
from tables.state.snapshot import TableSnapshot

# A task expires when the next sweep has sent another one.
BOTS_EXPIRE_SECONDS: Final = 2
# Without a limit a slow worker would receive messages faster than it discards expired ones, and
# no bot would act at all.
TABLES_PER_TASK: Final = 20
# Phases at whose end a deal begins, unless the installation is drained.
BEFORE_A_DEAL: Final = (Table.Phase.WAITING, Table.Phase.BETWEEN)

log = structlog.get_logger(__name__)


# In the order of their indexes. If the caller gives no time, the database compares with its own.
_CLOCK_DUE: Final = Statement(
    f"SELECT id FROM tables_table WHERE due_at <= COALESCE(%s::timestamptz, {NOW_SQL})"  # noqa: S608
    " ORDER BY due_at"
)
_BOTS_DUE: Final = Statement(
    f"SELECT id FROM tables_table WHERE bot_due_at <= COALESCE(%s::timestamptz, {NOW_SQL})"  # noqa: S608
    " ORDER BY bot_due_at"
)


def sweep(*, now: datetime | None = None) -> None:
    """Record a heartbeat, apply overdue clocks, wake bots, and open missing lobby tables.

    Simulations and tests pass `now`; workers leave it out and use the database's time.
    """
    beat(now=now)
    for (table_id,) in _CLOCK_DUE.rows(now):
        with structlog.contextvars.bound_contextvars(table=table_id):
            try:
                apply_overdue(table_id=table_id, now=now, skip_locked=True)
            except Exception:  # A sweep: one bad row must not stop the clocks of the others.
                log.exception("clock_failed")
    _enqueue_bots([pk for (pk,) in _BOTS_DUE.rows(now)])
    opening.keep_lobby_stocked()


def _enqueue_bots(due: Sequence[int]) -> None:
    for first in range(0, len(due), TABLES_PER_TASK):
        some = due[first : first + TABLES_PER_TASK]
        enqueue("tables.play_due_bots", some, expires=BOTS_EXPIRE_SECONDS)


@transaction.atomic(durable=True)
def apply_overdue(*, table_id: int, now: datetime | None = None, skip_locked: bool = False) -> None:
    """Apply the table's clock if its time is over; otherwise change nothing.

    Without `now`, use the database's time as read once the table is locked.

    The sweep skips a locked table: the command that holds the lock applies the clock itself.
    """
    table = lock_if_free(table_id) if skip_locked else lock_table(table_id)
    if table is None:
        return
    snapshot = snapshot_of(table)
    now = now or snapshot.now
    end = snapshot.deadline(now)
    if end is None or now < end:
        return
    if table.settlement_due:
        phases.arm(table, phases.SETTLE_PATIENCE_SECONDS, now)
    elif table.phase in BEFORE_A_DEAL and (
        drains.hold_back(table, now) or not client_seeds.are_in(table, now, is_due=True)
    ):
        pass
    elif table.phase == Table.Phase.WAITING:
        game_of(table).start(table, now)
    elif table.phase == Table.Phase.TOSS:
        deal = _deal_of(snapshot)
        dealing.begin_play(table, deal, fold_of_latest(deal, snapshot.latest).state, now)
    elif table.phase == Table.Phase.PLAYING:
        over_at = _end_turn(table, end, now)
        if over_at is None:
            return
        end = over_at
    elif table.phase == Table.Phase.SHOWING:
        _close_meld_window(table, now)
    elif table.phase == Table.Phase.SETTLING:
        phases.arm(table, phases.SETTLE_PATIENCE_SECONDS, now)
    elif table.phase == Table.Phase.BETWEEN:
        game_of(table).deal_next(table, now)
    elif table.phase in (Table.Phase.REJOIN, Table.Phase.SPLIT):
        phases.await_step(table, now)  # Missing answers count as no.
    publish(table)
    late = (now - end).total_seconds()
    transaction.on_commit(lambda: counters.measure("timer_late", late), robust=True)


def extra_ms_used(table: Table, state: rummy.AnyDeal, position: int, now: datetime) -> int:
    """Return the extra time in ms that a seat has used since its turn's own time was over."""
    if table.due_at is None or now <= table.due_at:
        return 0
    end = deadline(table, now)
    family = family_of(table.profile)
    if end is None or now <= end or family.status(state).to_act != position:
        return 0
    return min(_milliseconds(now - end), family.extra_ms_left(state, position))


def catch_up(*, table_id: int) -> None:
    """Apply an overdue clock in its own transaction, before a command reads the table."""
    if Table.objects.clock_due(DatabaseNow()).filter(pk=table_id).exists():
        apply_overdue(table_id=table_id)


@contextmanager
def caught_up(table_id: int) -> Iterator[LockedTable]:
    """Lock the table in a durable transaction that ends with the block, overdue clocks applied.

    An overdue clock is applied in a transaction of its own, which a refusal does not roll back.
    """
    for is_applied in (False, True):
        with transaction.atomic(durable=True):
            table = lock_table(table_id)
            if is_applied or table.due_at is None or snapshot_of(table).now < table.due_at:
                yield table
                return
        apply_overdue(table_id=table_id)


def _end_turn(table: LockedTable, end: datetime, now: datetime) -> datetime | None:
    """Make the clock's move for a seat without extra time left (RB 5.8); return since when."""
    snapshot = snapshot_of(table)
    deal = _deal_of(snapshot)
    fold = fold_of_latest(deal, snapshot.latest)
    (position,) = phases.awaited(table, fold.state)
    if phases.is_absent(table, deal, position):
        _append(table, fold, absence.clock_move(table, fold.state, position), now)
        return end
    bank = family_of(table.profile).extra_ms_left(fold.state, position)
    if _milliseconds(now - end) < bank:
        return None
    _play_for(table, fold, position=position, extra_ms=bank, now=now)
    return end + timedelta(milliseconds=bank)


def _close_meld_window(table: LockedTable, now: datetime) -> None:
    """Score players who sent no groups on their best ones, without a surcharge (RB 5.6)."""
    snapshot = snapshot_of(table)
    fold = fold_of_latest(_deal_of(snapshot), snapshot.latest)
    for position in sorted(phases.awaited(table, fold.state)):
        fold = _play_for(table, fold, position=position, extra_ms=0, now=now)


def _deal_of(snapshot: TableSnapshot) -> Deal:
    assert snapshot.deal is not None, "cards are played in a deal"
    return snapshot.deal


def _play_for(
    table: LockedTable, fold: Fold, *, position: int, extra_ms: int, now: datetime
) -> Fold:
    move = family_of(table.profile).clock_move(fold.state, position, extra_ms)
    return _append(table, fold, move, now)


def _append(table: LockedTable, fold: Fold, move: rummy.Move, now: datetime) -> Fold:
    snapshot = snapshot_of(table)
    deal = _deal_of(snapshot)
    places = {place.position: place.seat_id for place in snapshot.places_in(deal)}
    prepared = moves.prepare_move(
        table,
        deal,
        fold,
        seat_id=places[move.position],
        move=move,
        origin=Move.Origin.CLOCK,
        now=now,
    )
    return moves.save_move(prepared)


def _milliseconds(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)
