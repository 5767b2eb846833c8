"""Games with money that ended, in the order they ended: who paid, who got, what the house took."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from finance.journal.escrows import FLOWS, ended, page_of, totals_of
from finance.reporting.frame import Position, Question, Report, Row, Totals
from tables.table.models import Table
from wallet.ledger.models import Entry

COLUMNS = (
    *("game", "template", "variant", "variant_version", "currency", "started_at", "ended_at"),
    *("booked_on", "ending", "players", "entries", *FLOWS, "left_minor"),
)


def closing(question: Question) -> QuerySet[Entry]:
    return ended(question).filter(account__table__isnull=False)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    last = page_of(closing(question), after, size)
    escrows = [entry.account_id for _, entry, _ in last]
    found = Table.objects.filter(escrow_account__in=escrows).select_related("template", "profile")
    tables = {table.escrow_account_id: table for table in found}
    return [
        (position, {**_row(entry, tables[entry.account_id]), **money})
        for position, entry, money in last
    ]


def _row(entry: Entry, table: Table) -> dict[str, object]:
    return {
        "game": str(table.public_id),
        "template": table.template.slug if table.template else "",
        "variant": table.profile.name,
        "variant_version": table.profile.version,
        "currency": entry.currency,
        "started_at": table.started_at.isoformat() if table.started_at else "",
        "ended_at": entry.transfer.created_at.isoformat(),
        "booked_on": entry.transfer.booked_on.isoformat(),
        "ending": table.ending,
    }


def totals(question: Question) -> Totals:
    return totals_of(closing(question))


GAMES = Report("games", "Games", 1, COLUMNS, page, totals)
