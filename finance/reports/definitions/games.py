"""Finished cash games and tournaments in the order they ended: paid in, refunds, prizes, rake.

`operator_minor` is the operator's net contribution to the prizes; `left_minor` is the balance left
in escrow, which must be 0.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from finance.reports.journal.escrows import EndedRow, report_of
from tables.models.tables import Table
from tournaments.planning.models import Tournament


class _Game(TypedDict):
    game: UUID
    template: str | None
    variant: str
    variant_version: int
    started_at: datetime | None
    ending: str


class EndedGameRow(_Game, EndedRow):
    """A finished game and the amounts that passed through its escrow account."""


class _Tournament(TypedDict):
    tournament: UUID
    template: str | None
    variant: str
    started_at: datetime | None
    state: str


class EndedTournamentRow(_Tournament, EndedRow):
    """A finished tournament and the amounts that passed through its escrow account."""


def _of(game: Table | Tournament) -> dict[str, object]:
    """Return the columns that a game and a tournament have in common."""
    return {
        "template": game.template.slug if game.template else None,
        "variant": game.profile.name,
        "started_at": game.started_at,
    }


GAMES = report_of(
    "games",
    "Games",
    lambda: Table.objects.select_related("template", "profile"),
    lambda table: {
        "game": table.public_id,
        **_of(table),
        "variant_version": table.profile.version,
        "ending": table.ending,
    },
    link="table",
    shape=EndedGameRow,
)
TOURNAMENTS = report_of(
    "tournaments",
    "Tournaments",
    lambda: Tournament.objects.select_related("template", "profile"),
    lambda held: {"tournament": held.public_id, **_of(held), "state": held.state},
    link="tournament",
    shape=EndedTournamentRow,
)
