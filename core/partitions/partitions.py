"""Monthly partitions, created ahead so that no insert has to wait for one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from django.conf import settings
from django.db import connection

MONTHS_AHEAD: Final = 3
_OF: Final = """
    SELECT m.relation::text, m.day::text, to_date(right(c.relname, 7), 'YYYY_MM'),
        'months.' || quote_ident(c.relname)
    FROM core_monthly_tables() AS m JOIN pg_inherits AS h ON h.inhparent = m.relation
    JOIN pg_class AS c ON c.oid = h.inhrelid
    WHERE c.relname ~ '_[0-9]{4}_[0-9]{2}$' ORDER BY 1, 3
"""


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a partitioned table: its first day, and the name of its partition."""

    relation: str
    # The column that partitions the table.
    day: str
    first_day: date
    partition: str


def make_months() -> list[str]:
    """Create missing partitions of this month and the next ones; return their names.

    Raise `OperationalError` if a table is in use for too long; the caller tries again later.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_make_months(%s)", [MONTHS_AHEAD])
        return [name for (name,) in cursor.fetchall()]


def months() -> list[Month]:
    """Return the months that are in the database, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_OF)
        return [Month(*row) for row in cursor.fetchall()]


def months_ahead(today: date) -> int:
    """Return the smallest number of future months that a partitioned table has."""
    last: dict[str, date] = {}
    for month in months():
        last[month.relation] = month.first_day
    ahead = [(day.year - today.year) * 12 + day.month - today.month for day in last.values()]
    return min(ahead, default=0)


def past_retention(today: date) -> list[Month]:
    """Return the months past their table's retention (`MONTHS_KEPT`)."""
    this_month = today.year * 12 + today.month
    return [
        month
        for month in months()
        if this_month - (month.first_day.year * 12 + month.first_day.month)
        > settings.MONTHS_KEPT[month.relation]
    ]
