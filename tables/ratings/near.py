"""Ratings of players who wait at tables, and whether they are near to a player's own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Final

from django.db.models import Q

from players.accounts.models import User
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.ratings.finished_games import pool_of
from tables.ratings.models import Rating
from tables.ratings.rating import NEWCOMER, shown_margin, shown_rating

# Ratings that differ by no more are near, apart from the uncertainty of the player's own.
NEAR: Final = 200

# Each player's shown rating and margin by game and pace.
OwnRatings = Mapping[tuple[str, str], tuple[int, int]]


def ratings_of(player: User) -> OwnRatings:
    """Return a player's ratings among people."""
    found = Rating.objects.among_people().filter(player=player)
    return {(each.game, each.pace): (each.shown, each.margin) for each in found}


def mean_ratings(tables: Iterable[Table]) -> dict[int, int]:
    """Return the mean rating of those seated by the table's key, where at least one has one.

    It is that of the table's game and pace, of people whose profile is public.
    """
    pools = {table.pk: pool_of(table)[:2] for table in tables}
    if not pools:
        return {}
    present = Seat.objects.present().filter(table__in=pools).order_by()
    seated = list(present.values_list("table", "player_id"))
    shown = shown_ratings(player for _, player in seated)
    at_table = defaultdict(list)
    for table, player in seated:
        if (rating := shown.get((player, *pools[table]))) is not None:
            at_table[table].append(rating)
    return {table: round(fmean(ratings)) for table, ratings in at_table.items()}


def shown_ratings(players: Iterable[int]) -> dict[tuple[int, str, str], int]:
    """Return ratings among people by player, game and pace; without those of hidden profiles."""
    public = Q(player__has_public_profile=True, player__is_bot=False)
    found = Rating.objects.among_people().filter(public, player__in={*players})
    return {
        (player, game, pace): shown_rating(mu)
        for player, game, pace, mu in found.values_list("player", "game", "pace", "mu")
    }


def is_far(own: OwnRatings, table: Table, mean: int | None) -> bool:
    """Return whether a table's mean rating differs clearly from the player's own.

    The margin of the player's rating is added, so that no table is far for a newcomer.
    """
    if mean is None:
        return False
    newcomer = (shown_rating(NEWCOMER.mu), shown_margin(NEWCOMER.sigma))
    shown, margin = own.get(pool_of(table)[:2], newcomer)
    return abs(mean - shown) > NEAR + margin
