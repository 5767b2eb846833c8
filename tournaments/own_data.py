"""A player's entries and results in seasons in the export of their data (`OWN_DATA`)."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from players.accounts.models import User
from tournaments.entries.models import Entry
from tournaments.leagues.models import LeagueResult, Outcome, Unlisted


def own_data(player: User) -> dict[str, Any]:
    """Return entries, results in seasons and what their ends decided; amounts in minor units."""
    entries = (
        Entry.objects.of_player(player)
        .order_by("pk")
        .annotate(
            tournament_name=F("tournament__name"),
            currency=F("tournament__currency"),
            entry_minor=F("stake__entry_minor"),
            addon_minor=F("addon_stake__entry_minor"),
            paid_by_ticket=F("ticket__public_id"),
        )
    )
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
    entry = (
        *("public_id", "tournament_name", "registered_at", "state", "currency", "entry_minor"),
        *("addon_minor", "paid_by_ticket", "is_removed", "draw_no", "place", "tied", "prize_minor"),
    )
    result = ("season_name", "tournament_name", "ended_at", "place", "finishers", "points")
    ended = ("season_name", "division", "place", "next_division", "prize_minor", "currency")
    hidden = Unlisted.objects.filter(player=player).values_list("since", flat=True)
    return {
        "tournament_entries": list(entries.values(*entry)),
        "league_results": list(results.values(*result)),
        "league_outcomes": list(outcomes.values(*ended)),
        "hidden_from_leaderboards_since": hidden.first(),
    }
