"""A player's results in seasons in the export of their data; see `tables.accounts.own_data`."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from players.accounts.models import User
from tournaments.leagues.models import LeagueResult, Outcome, Unlisted


def own_data(player: User) -> dict[str, Any]:
    """Return results in seasons and what their ends decided; amounts in minor units."""
    season = {"season_name": F("season__name")}
    results = (
        LeagueResult.objects.filter(player=player)
        .order_by("pk")
        .annotate(**season, tournament_name=F("tournament__name"))
    )
    outcomes = (
        Outcome.objects.filter(player=player)
        .order_by("pk")
        .annotate(**season, currency=F("season__currency"))
    )
    result = ("season_name", "tournament_name", "ended_at", "place", "finishers", "points")
    ended = ("season_name", "division", "place", "next_division", "prize_minor", "currency")
    hidden = Unlisted.objects.filter(player=player).values_list("since", flat=True)
    return {
        "league_results": list(results.values(*result)),
        "league_outcomes": list(outcomes.values(*ended)),
        "hidden_from_leaderboards_since": hidden.first(),
    }
