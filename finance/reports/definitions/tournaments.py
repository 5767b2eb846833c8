"""Tournaments with money that ended, in the order they ended."""

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
    """A tournament that ended, and what went through its escrow."""


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
