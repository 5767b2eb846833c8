"""Games with money that ended, in the order they ended: who paid, who got, what the house took."""

from __future__ import annotations

from finance.journal.escrows import FLOWS, report_of
from finance.reporting.report import Row
from tables.table.models import Table


def row(table: Table) -> Row:
    return {
        "game": str(table.public_id),
        "template": table.template.slug if table.template else "",
        "variant": table.profile.name,
        "variant_version": table.profile.version,
        "started_at": table.started_at.isoformat() if table.started_at else "",
        "ending": table.ending,
    }


GAMES = report_of(
    "games",
    "Games",
    lambda: Table.objects.select_related("template", "profile"),
    row,
    link="table",
    columns=(
        "game",
        "template",
        "variant",
        "variant_version",
        "currency",
        "started_at",
        "ended_at",
        "booked_on",
        "ending",
        "players",
        "entries",
        *FLOWS,
        "left_minor",
    ),
)
