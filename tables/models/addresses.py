"""The table of a public id, a seat or a deal; cached per process, because it never changes.

Where tables are distributed by their keys (docs/adr/0009), a statement that names the table goes to
one node; one that does not goes to all of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from uuid import UUID

from django.db import models

from core.db.statements import Statement, columns, model_from_row
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Table

# More than the live tables of an installation, with six seats each.
KEPT: Final = 65_536


class Address(models.Model):
    """Map a table's public id to its key; written when the table opens, never changed."""

    public_id = models.UUIDField(primary_key=True, editable=False)
    table = models.OneToOneField(
        Table, on_delete=models.PROTECT, related_name="+", db_constraint=False
    )

    def __str__(self) -> str:
        return str(self.public_id)


OF_ADDRESS: Final = Statement("SELECT table_id FROM tables_address WHERE public_id = %s")
TABLE: Final = Statement(
    f"SELECT {columns('t', Table)} FROM tables_table t WHERE t.id = %s"  # noqa: S608  Our own names.
)
OF_SEAT: Final = Statement("SELECT table_id FROM tables_seat WHERE id = %s")
OF_DEAL: Final = Statement("SELECT table_id FROM tables_deal WHERE id = %s")


@lru_cache(KEPT)
def table_of(public_id: UUID) -> int:
    """Return the key of a table. Raise `Table.DoesNotExist` if there is none."""
    return _found(OF_ADDRESS, public_id, Table)


def read_table(public_id: UUID) -> Table:
    """Return a table as stored now. Raise `Table.DoesNotExist` if there is none."""
    rows = TABLE.rows(table_of(public_id))
    if not rows:  # The cache may outlive the table.
        raise Table.DoesNotExist
    return model_from_row(Table, rows[0])


@lru_cache(KEPT)
def table_of_seat(seat_id: int) -> int:
    """Return the key of a seat's table. Raise `Seat.DoesNotExist` if there is no such seat."""
    return _found(OF_SEAT, seat_id, Seat)


@lru_cache(KEPT)
def table_of_deal(deal_id: int) -> int:
    """Return the key of a deal's table. Raise `Deal.DoesNotExist` if there is no such deal."""
    return _found(OF_DEAL, deal_id, Deal)


def _found(statement: Statement, key: object, model: type[models.Model]) -> int:
    rows = statement.rows(key)
    if not rows:
        raise model.DoesNotExist(f"no {model._meta.verbose_name} {key}")  # type: ignore[attr-defined]
    table_id: int = rows[0][0]
    return table_id
