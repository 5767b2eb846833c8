"""Tournaments with money that ended, in the order they ended."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from finance.journal.escrows import FLOWS, ended, page_of, totals_of
from finance.reporting.frame import Position, Question, Report, Row, Totals
from tournaments.planning.models import Tournament
from wallet.ledger.models import Entry

COLUMNS = (
    *("tournament", "template", "variant", "currency", "started_at", "ended_at", "booked_on"),
    *("state", "players", "entries", *FLOWS, "left_minor"),
)


def closing(question: Question) -> QuerySet[Entry]:
    return ended(question).filter(account__tournament__isnull=False)


def page(question: Question, after: Position, size: int) -> Sequence[tuple[Position, Row]]:
    last = page_of(closing(question), after, size)
    escrows = [entry.account_id for _, entry, _ in last]
    found = Tournament.objects.filter(escrow_account__in=escrows)
    tournaments = {
        one.escrow_account_id: one for one in found.select_related("template", "profile")
    }
    return [
        (position, {**_row(entry, tournaments[entry.account_id]), **money})
        for position, entry, money in last
    ]


def _row(entry: Entry, tournament: Tournament) -> dict[str, object]:
    return {
        "tournament": str(tournament.public_id),
        "template": tournament.template.slug if tournament.template else "",
        "variant": tournament.profile.name,
        "currency": entry.currency,
        "started_at": tournament.started_at.isoformat() if tournament.started_at else "",
        "ended_at": entry.transfer.created_at.isoformat(),
        "booked_on": entry.transfer.booked_on.isoformat(),
        "state": tournament.state,
    }


def totals(question: Question) -> Totals:
    return totals_of(closing(question))


TOURNAMENTS = Report("tournaments", "Tournaments", 1, COLUMNS, page, totals)
