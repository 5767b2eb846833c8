"""For a running site: a season of two divisions in which a player is second of three.

With a `cup` the season is a series of one tournament of that name, which starts in half an hour.
"""

from __future__ import annotations


def main(handle: str, name: str, cup: str = "") -> str:
    """Open the season and return the path of its leaderboard, or of the tournament."""
    from core.clock import database_now
    from players.accounts.models import User
    from tests.builders.tables.making import make_player
    from tests.builders.tournaments.seasons import give, make_season
    from tests.builders.tournaments.tournaments import make_tournament

    tournament = make_tournament(name=cup, slug=f"cup-{handle}", starts_in=30) if cup else None
    season = make_season(
        name=name,
        starts_at=database_now(),
        pools_minor=[500_00, 200_00],
        promoted=1,
        relegated=1,
        templates=[tournament.template_id] if tournament else [],
    )
    ahead, behind = make_player(handle=f"{handle}a"), make_player(handle=f"{handle}b")
    give(season, {ahead: 220, User.objects.get(handle=handle): 132, behind: 40})
    if tournament:
        return f"/tournaments/{tournament.public_id}/"
    return f"/tournaments/leagues/{season.public_id}/"
