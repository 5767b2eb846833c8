"""Tournaments of bots for simulations, run by the workers like all tournaments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from tables.history.fairness import seeds
from tables.models.deals import Move
from tables.models.profiles import RuleProfile
from tables.models.tables import Table
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate


def open_bot_tournament(
    *, profile: RuleProfile, entrants: int, entry_minor: int, rake_bps: int, **terms: Any
) -> Tournament:
    """Open a tournament that starts now and is filled with bots."""
    now = timezone.now()
    template = TournamentTemplate.objects.create(
        slug=f"simulation-{now:%Y%m%d%H%M%S%f}",
        name=f"{seeds.SIMULATED}{profile.name}"[:80],
        profile=profile,
        **{
            "entrants_max": entrants,
            "entrants_min": 2,
            "entry_minor": entry_minor,
            "rake_bps": rake_bps,
            "bots_fill": True,
            "is_offered": False,
        }
        | terms,
    )
    return opening.open_tournament(
        template=template, starts_at=now + timedelta(milliseconds=1), now=now
    )


def progress(tournament: Tournament) -> str:
    """Return one line about the tournament's progress."""
    tables = Table.objects.filter(owner_ref=tournament.owner_ref)
    live = tables.live().count()
    moves = Move.objects.filter(deal__table__in=tables).count()
    return f"round {tournament.round_no}, {live} of {tables.count()} tables live, {moves} moves"
