"""Tables with invented rows: scores without moves, hands that were not dealt.

The audit of play names them, as it must. Tests of other things count them out by this check, which
runs the product's own and drops what it says of such a table (`config/settings_test.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from tables.integrity import play_audit
from tables.models.deals import Deal
from tables.models.seats import Elimination, Score, Seat
from tables.models.tables import Table
from tables.settlement.models import Result, Window
from wallet.audit.audit import Finding, Note
from wallet.audit.starts import Start

_INVENTED: set[UUID] = set()
OF_A_TABLE = {
    "deal": Deal,
    "elimination": Elimination,
    "result": Result,
    "score": Score,
    "seat": Seat,
    "window": Window,
}


def is_invented(table: Table) -> None:
    """Note that what this table's scores say did not happen."""
    _INVENTED.add(table.public_id)


def findings(start: Start) -> Iterator[Finding | Note]:
    for found in play_audit.findings(start):
        if isinstance(found, Note) or _table_of(found) not in _INVENTED:
            yield found


def _table_of(found: Finding) -> UUID | None:
    """Return the table a difference is at, by the row it names."""
    kind, _, key = found.subject.partition(" ")
    if kind == "table":
        return Table.objects.values_list("public_id", flat=True).get(pk=key)
    if kind in OF_A_TABLE:
        rows = OF_A_TABLE[kind]._default_manager.filter(pk=key)
        return rows.values_list("table__public_id", flat=True).first()
    return None
