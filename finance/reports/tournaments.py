"""Tournaments with money that ended, in the order they ended."""

from __future__ import annotations

from finance.journal.escrows import FLOWS, report_of
from finance.reporting.report import Row
from tournaments.planning.models import Tournament


def row(tournament: Tournament) -> Row:
    return {
        "tournament": str(tournament.public_id),
        "template": tournament.template.slug if tournament.template else "",
        "variant": tournament.profile.name,
        "started_at": tournament.started_at.isoformat() if tournament.started_at else "",
        "state": tournament.state,
    }


TOURNAMENTS = report_of(
    "tournaments",
    "Tournaments",
    lambda: Tournament.objects.select_related("template", "profile"),
    row,
    link="tournament",
    columns=(
        "tournament",
        "template",
        "variant",
        "currency",
        "started_at",
        "ended_at",
        "booked_on",
        "state",
        "players",
        "entries",
        *FLOWS,
        "left_minor",
    ),
)
