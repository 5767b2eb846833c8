"""For a running site: a season of two divisions in which a player is second of three."""

from __future__ import annotations


def main(handle: str, name: str) -> str:
    """Open the season and return the path of its leaderboard."""
    from core.clock import database_now
    from players.accounts.models import User
    from tests.builders.tables.making import make_player
    from tests.builders.tournaments.seasons import give, make_season

    season = make_season(
        name=name,
        starts_at=database_now(),
        pools_minor=[500_00, 200_00],
        promoted=1,
        relegated=1,
    )
    ahead, behind = make_player(handle=f"{handle}a"), make_player(handle=f"{handle}b")
    give(season, {ahead: 220, User.objects.get(handle=handle): 132, behind: 40})
    return f"/tournaments/leagues/{season.public_id}/"
