"""Functions that lock a table, and the types that prove that the lock is held."""

from __future__ import annotations

from typing import Any, Final, NewType
from uuid import UUID

from django.db import transaction

from core.db.statements import Query, Statement, execute_pipeline
from tables.models.addresses import Address, table_of, table_of_deal, table_of_seat
from tables.models.seats import Seat
from tables.models.tables import Table, TableQuerySet
from tables.models.templates import TableTemplate
from tables.state.snapshot import (
    SNAPSHOT,
    SNAPSHOT_IN_PLAY,
    TableSnapshot,
    of_table,
    snapshot_from_row,
)

# A table whose row this transaction has locked. Only the functions below create one; steps that
# change a table require it, so the type checker proves that the lock is held.
LockedTable = NewType("LockedTable", Table)
LockedTemplate = NewType("LockedTemplate", TableTemplate)


# A seat by its key, or by the table's public id and the key of the seat's player.
SeatRef = int | tuple[UUID, int]

_LOCK_ROW: Final = Statement("SELECT id FROM tables_table WHERE id = %s FOR NO KEY UPDATE")
_LOCK_IF_FREE: Final = Statement(f"{_LOCK_ROW.sql} SKIP LOCKED")
# With a seat that is still taken.
_LOCK_OF_SEAT: Final = Statement(
    "SELECT t.id, s.id FROM tables_table t JOIN tables_seat s ON s.table_id = t.id"
    " WHERE t.id = %s AND s.id = %s FOR NO KEY UPDATE OF t"
)
_LOCK_OF_PLAYER: Final = Statement(
    "SELECT t.id, s.id FROM tables_table t JOIN tables_seat s ON s.table_id = t.id"
    " WHERE t.id = %s AND s.player_id = %s AND s.left_at IS NULL FOR NO KEY UPDATE OF t"
)


def lock_table(table_id: int) -> LockedTable:
    """Lock a table. Raise `Table.DoesNotExist` if there is none."""
    table = _lock(_LOCK_ROW, table_id)
    if table is None:
        raise Table.DoesNotExist("no such table")
    return table


def lock_table_of_seat(seat_id: int) -> LockedTable:
    """Lock the table of a seat. Raise `Seat.DoesNotExist` if there is none."""
    return lock_table(table_of_seat(seat_id))


def lock_table_of_deal(deal_id: int) -> LockedTable:
    """Lock the table of a deal. Raise `Deal.DoesNotExist` if there is none."""
    return lock_table(table_of_deal(deal_id))


def lock_tables(tables: TableQuerySet) -> list[LockedTable]:
    """Lock these tables in the order of their keys; leave out those that no longer match.

    One statement each: where tables are distributed, a statement can lock rows of one node only.
    """
    _require_transaction()
    locked = [lock_table(key) for key in sorted(tables.values_list("pk", flat=True))]
    still = set(tables.values_list("pk", flat=True))
    return [table for table in locked if table.pk in still]


def lock_if_free(table_id: int) -> LockedTable | None:
    """Lock a table; return None if it does not exist or is locked already."""
    return _lock(_LOCK_IF_FREE, table_id)


def lock_table_for(seat: SeatRef, move_id: UUID | None = None) -> tuple[LockedTable, int]:
    """Lock the table of a seat for a move; return it with the seat's key.

    Its snapshot has no scores, and includes the key of an earlier move by this seat with this id,
    if any. Raise `Seat.DoesNotExist` if there is no such seat, or its player has left the table.
    """
    _require_transaction()
    if isinstance(seat, int):
        table_id = table_of_seat(seat)
        lock_row: Query = (_LOCK_OF_SEAT, (table_id, seat))
        values = of_table(table_id, seat_id=seat, move_id=move_id)
    else:
        public_id, player_id = seat
        table_id = _table_of_player(public_id, player_id)
        lock_row = (_LOCK_OF_PLAYER, (table_id, player_id))
        values = of_table(table_id, player_id=player_id, move_id=move_id)
    locked, found = execute_pipeline(lock_row, (SNAPSHOT_IN_PLAY, values))
    if not locked:
        raise Seat.DoesNotExist("no such seat")
    return _with_snapshot(found[0]), locked[0][1]


def insert_table(table: Table) -> LockedTable:
    """Insert a new table with its address; it is invisible to others until the commit."""
    _require_transaction()
    table.save(force_insert=True)
    Address.objects.create(public_id=table.public_id, table=table)
    locked = LockedTable(table)
    locked.snapshot = TableSnapshot(table=table, now=table.created_at)
    return locked


def snapshot_of(table: LockedTable) -> TableSnapshot:
    """Return the rows of a locked table, which only the holder of its lock changes.

    They were read once the lock was held. A step that saves a row of the table changes it here too,
    so that later steps of the transaction need not read it again.
    """
    snapshot: TableSnapshot = table.snapshot
    return snapshot


def _lock(statement: Statement, table_id: int) -> LockedTable | None:
    """Lock a table and read its snapshot; return None if the statement locks no row.

    The snapshot is a second statement: one that waits for a lock would see all other rows as they
    were before it waited.
    """
    _require_transaction()
    locked, found = execute_pipeline((statement, (table_id,)), (SNAPSHOT, of_table(table_id)))
    return _with_snapshot(found[0]) if locked else None


def _with_snapshot(row: tuple[Any, ...]) -> LockedTable:
    snapshot = snapshot_from_row(row)
    snapshot.table.snapshot = snapshot
    return LockedTable(snapshot.table)


def lock_template(template_id: int) -> LockedTemplate:
    """Lock a table template. Raise `TableTemplate.DoesNotExist` if there is none."""
    _require_transaction()
    templates = TableTemplate.objects.locked().select_related("profile")
    return LockedTemplate(templates.get(pk=template_id))


def _table_of_player(public_id: UUID, player_id: int) -> int:
    try:
        return table_of(public_id)
    except Table.DoesNotExist as error:
        raise Seat.DoesNotExist("no such seat") from error


def _require_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "locks need a transaction"
