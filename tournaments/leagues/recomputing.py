"""Compare results, leaderboards and outcomes with a recomputation, or compute them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from tournaments.leagues.closing import outcomes_of
from tournaments.leagues.counting import count_again, count_batch, lock_leagues
from tournaments.leagues.models import LeagueResult, Outcome, PointsCount, Season, Standing

Row = tuple[Any, ...]
BOARD = ("board__span", "board__division", "board__begins_on")


def differences() -> list[str]:
    """Return how the stored rows differ from those counted again, and change nothing.

    Open and ended seasons are counted from finished games and tournaments alone; what an open one
    has not counted yet is no difference.
    """
    seasons = Season.objects.exclude(state__in=(Season.State.PLANNED, Season.State.CANCELLED))
    return [line for season in seasons.order_by("starts_at") for line in _differences(season.pk)]


@transaction.atomic(durable=True)
def recompute() -> int:
    """Compute the open seasons again; return their number. Closed seasons are final."""
    lock_leagues()
    seasons = list(Season.objects.locked().open().order_by("starts_at"))
    for season in seasons:
        count_again(season)
    return len(seasons)


@transaction.atomic(durable=True)
def _differences(season_id: int) -> list[str]:
    lock_leagues()
    season = Season.objects.locked().get(pk=season_id)
    with transaction.atomic():
        while season.state == Season.State.OPEN and count_batch(season):
            pass
        ended = list(Outcome.objects.filter(season=season))
        passed_over = frozenset(row.player_id for row in ended if row.is_passed_over)
        stored = {*_rows(season), *map(_outcome, ended)}
        expected = set[Row]()
        if season.state == Season.State.CLOSED:
            expected.update(map(_outcome, outcomes_of(season, passed_over=passed_over)))
        count_again(season)
        expected.update(_rows(season))
        transaction.set_rollback(True)
    return [
        f"{season}: {row} {'is missing' if row in expected else 'must not be there'}"
        for row in sorted(stored ^ expected, key=str)
    ]


def _rows(season: Season) -> Iterator[Row]:
    """Yield the values of a season's results and leaderboards, with the kind of the row."""
    results = LeagueResult.objects.filter(season=season)
    contest = ("finishers", "table", "deal_no", "tournament", "ended_at", "day")
    standings = Standing.objects.filter(board__season=season)
    counts = PointsCount.objects.filter(board__season=season, players__gt=0)
    for kind, rows in (
        ("result", results.values_list("player", "place", "points", *contest)),
        ("standing", standings.values_list("player", "points", *BOARD, "wins", "games")),
        ("count", counts.values_list(*BOARD, "shift", "points", "players")),
    ):
        yield from ((kind, *row) for row in rows)


def _outcome(row: Outcome) -> Row:
    moved = (row.division, row.place, row.next_division)
    return "outcome", row.player_id, *moved, row.prize_minor, row.is_passed_over
