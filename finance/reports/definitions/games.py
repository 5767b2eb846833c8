"""Finished cash games in the order they ended: amounts paid in, refunds, prizes and rake."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from finance.reports.frame.report import Row
from finance.reports.journal.escrows import EndedRow, report_of
from tables.models.tables import Table


class _Game(TypedDict):
    game: UUID
    template: str | None
    variant: str
    variant_version: int
    started_at: datetime | None
    ending: str


class EndedGameRow(_Game, EndedRow):
    """A finished game and the amounts that passed through its escrow account.

    `operator_minor` is the operator's net contribution to the prizes; `left_minor` is the balance
    left in escrow, which must be 0.
    """


def row(table: Table) -> Row:
    return {
        "game": table.public_id,
        "template": table.template.slug if table.template else None,
        "variant": table.profile.name,
        "variant_version": table.profile.version,
        "started_at": table.started_at,
        "ending": table.ending,
    }


GAMES = report_of(
    "games",
    "Games",
    lambda: Table.objects.select_related("template", "profile"),
    row,
    link="table",
    shape=EndedGameRow,
)
