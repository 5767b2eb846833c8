"""The lock on a table: the functions that take it, and the type that proves it is held."""

from __future__ import annotations

from typing import NewType

from django.db import transaction

from tables.table.models import Table, TableQuerySet

# A table whose row this transaction has locked. Only the functions below make one.
LockedTable = NewType("LockedTable", Table)


def lock_table(table_id: int) -> LockedTable:
    """Lock a table. Raise `Table.DoesNotExist` if there is none."""
    return LockedTable(_lockable().get(pk=table_id))


def lock_table_of_seat(seat_id: int) -> LockedTable:
    """Lock the table of a seat. Raise `Table.DoesNotExist` if there is none."""
    return LockedTable(_lockable().get(seats=seat_id))


def lock_table_of_deal(deal_id: int) -> LockedTable:
    """Lock the table of a deal. Raise `Table.DoesNotExist` if there is none."""
    return LockedTable(_lockable().get(deals=deal_id))


def lock_tables(tables: TableQuerySet) -> list[LockedTable]:
    """Lock these tables in the order of their keys."""
    _require_transaction()
    return [LockedTable(table) for table in tables.locked()]


def lock_if_free(tables: TableQuerySet) -> LockedTable | None:
    """Lock the first of these tables that no other transaction has locked, if there is one."""
    _require_transaction()
    table = tables.locked(skip_locked=True).first()
    return None if table is None else LockedTable(table)


def _lockable() -> TableQuerySet:
    _require_transaction()
    return Table.objects.locked()


def _require_transaction() -> None:
    assert transaction.get_connection().in_atomic_block, "a lock lasts as long as a transaction"
