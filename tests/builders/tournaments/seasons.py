"""Seasons, and results in them."""

from datetime import timedelta

from core.clock import database_now
from tests.builders.tables.making import make_player
from tournaments.leagues import counting, seasons
from tournaments.leagues.closing import CLOSES_AFTER, close_season
from tournaments.leagues.contests import day_of
from tournaments.leagues.models import Board, LeagueResult, Season


def plan(**terms):
    """Return a planned season that has started an hour ago and ends in an hour."""
    now = database_now()
    fields = {
        "name": "Autumn",
        "starts_at": now - timedelta(hours=1),
        "ends_at": now + timedelta(hours=1),
        "pools_minor": [0],
    }
    season = Season(**(fields | terms))
    return seasons.plan_season(season=season, by=make_player(is_staff=True))


def make_season(**terms):
    """Return an open season."""
    return seasons.open_season(season_id=plan(**terms).pk, now=database_now())


def count(season):
    while counting.count_next(season_id=season.pk):
        pass


def close(season):
    return close_season(season_id=season.pk, now=season.ends_at + CLOSES_AFTER)


def give(season, points, *, wins=None):
    """Give players points in a season, as if they had won them in games of their own."""
    wins, now = wins or {}, database_now()
    results = [
        LeagueResult(
            season=season,
            player=player,
            table_id=-LeagueResult.objects.count() - number - 1,
            place=1 if wins.get(player) else 2,
            finishers=2,
            points=won,
            ended_at=now,
            day=day_of(now),
        )
        for number, (player, won) in enumerate(points.items())
    ]
    LeagueResult.objects.bulk_create(results)
    counting.apply_results(season, results, sign=1)


def board(season, division=1):
    return Board.objects.get(season=season, span="season", division=division)


def form_fields(**changes):
    """Return the values of the admin form of a season of two divisions."""
    return {
        "name": "Winter",
        "starts_at_0": "2030-01-01",
        "starts_at_1": "00:00",
        "ends_at_0": "2030-02-01",
        "ends_at_1": "00:00",
        "currency": "PTS",
        "place_points": "100, 50",
        "is_weighted": "on",
        "pools": "500.50, 100",
        "prize_bps": "60, 40",
        "promoted": 3,
        "relegated": 2,
        "outcomes-TOTAL_FORMS": 0,
        "outcomes-INITIAL_FORMS": 0,
    } | changes
