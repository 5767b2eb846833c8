"""Finished cash tournaments in the order they ended."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from finance.reports.frame.report import Row
from finance.reports.journal.escrows import EndedRow, report_of
from tournaments.planning.models import Tournament


class _Tournament(TypedDict):
    tournament: UUID
    template: str | None
    variant: str
    started_at: datetime | None
    state: str


class EndedTournamentRow(_Tournament, EndedRow):
    """A finished tournament and the amounts that passed through its escrow account.

    `operator_minor` is the operator's net contribution to the prizes; `left_minor` is the balance
    left in escrow, which must be 0.
    """


def row(tournament: Tournament) -> Row:
    return {
        "tournament": tournament.public_id,
        "template": tournament.template.slug if tournament.template else None,
        "variant": tournament.profile.name,
        "started_at": tournament.started_at,
        "state": tournament.state,
    }


TOURNAMENTS = report_of(
    "tournaments",
    "Tournaments",
    lambda: Tournament.objects.select_related("template", "profile"),
    row,
    link="tournament",
    shape=EndedTournamentRow,
)
