"""Compare results, leaderboards and outcomes with the finished contests, or compute them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from django.db import transaction

from tournaments.leagues import contests
from tournaments.leagues.closing import outcomes_of
from tournaments.leagues.counting import (
    BoardKey,
    Gain,
    count_next,
    divisions_of,
    forget_results,
    gains_of,
    lock_leagues,
    steps_of,
)
from tournaments.leagues.models import LeagueResult, Outcome, PointsCount, Season, Standing

Result = tuple[contests.ContestKey, int, int, int, int]


@transaction.atomic(durable=True)
def differences() -> list[str]:
    """Return how the stored rows differ from those computed from games and tournaments alone."""
    lock_leagues()
    seasons = Season.objects.exclude(state__in=(Season.State.PLANNED, Season.State.CANCELLED))
    return [f"{season}: {line}" for season in seasons.order_by("starts_at") for line in _of(season)]


def recompute() -> int:
    """Compute the open seasons again; return their number. Closed seasons are final."""
    open_seasons = list(Season.objects.open().order_by("starts_at").values_list("pk", flat=True))
    for season_id in open_seasons:
        _forget(season_id)
        while count_next(season_id=season_id):
            pass
    return len(open_seasons)


@transaction.atomic(durable=True)
def _forget(season_id: int) -> None:
    lock_leagues()
    season = Season.objects.locked().get(pk=season_id)
    if season.state == Season.State.OPEN:
        forget_results(season)


def _of(season: Season) -> Iterator[str]:
    yield from _differing_results(season)
    yield from _differing_standings(season)
    if season.state == Season.State.CLOSED:
        yield from _differing_outcomes(season)


def _differing_results(season: Season) -> Iterator[str]:
    """Yield differing results; what is voided after the season's end stays as it was."""
    voided = contests.voided()
    ignored = voided if season.state == Season.State.CLOSED else set()
    expected, passed = set[Result](), set[contests.ContestKey]()
    for batch, is_passed in contests.all_contests(season):
        rows = contests.results_of(season, batch)
        expected |= {_result(row) for row in rows if contests.key_of(row) not in voided}
        passed |= {contest.key for contest in batch if is_passed}
    stored = {_result(row) for row in LeagueResult.objects.filter(season=season)}
    for key, player, *figures in sorted(expected - stored, key=str):
        if key in passed:
            yield f"{key}: player {player} has no result {figures}"
    for key, player, *figures in sorted(stored - expected, key=str):
        if key not in ignored:
            yield f"{key}: the result {figures} of player {player} does not follow from it"


def _differing_standings(season: Season) -> Iterator[str]:
    """Yield differing leaderboards, computed from the stored results."""
    results = list(LeagueResult.objects.filter(season=season))
    divisions = divisions_of(season, {row.player_id for row in results})
    expected = {
        (key, player, gain)
        for key, gains in gains_of(season, results, divisions).items()
        for player, gain in gains.items()
    }
    of_board = ("board__span", "board__division", "board__begins_on")
    standings = Standing.objects.filter(board__season=season)
    stored = {
        (BoardKey(*row[:3]), row[3], Gain(*row[4:]))
        for row in standings.values_list(*of_board, "player", "points", "wins", "games")
    }
    for key, player, gain in sorted(expected ^ stored, key=str):
        kind = "has no standing" if (key, player, gain) in expected else "must not have"
        yield f"{key}: player {player} {kind} {gain}"
    counted = Counter((key, step) for key, _, gain in expected for step in steps_of(gain.points))
    counts = PointsCount.objects.filter(board__season=season, players__gt=0)
    kept: dict[tuple[BoardKey, tuple[int, int]], int] = {
        (BoardKey(*row[:3]), row[3:5]): row[5]
        for row in counts.values_list(*of_board, "shift", "points", "players")
    }
    for step in sorted(counted.keys() | kept.keys(), key=str):
        if counted[step] != kept.get(step, 0):
            yield f"{step}: {kept.get(step, 0)} players are counted, {counted[step]} follow"


def _differing_outcomes(season: Season) -> Iterator[str]:
    """Yield prizes and moves that differ, with the accounts that were passed over at the end."""
    rows = list(Outcome.objects.filter(season=season))
    passed_over = frozenset(row.player_id for row in rows if row.is_passed_over)
    expected = {_outcome(row) for row in outcomes_of(season, passed_over=passed_over)}
    for row in sorted(expected ^ {_outcome(row) for row in rows}):
        yield f"the end of the season differs for player {row[0]}: {row[1:]}"


def _result(row: LeagueResult) -> Result:
    return contests.key_of(row), row.player_id, row.place, row.finishers, row.points


def _outcome(row: Outcome) -> tuple[int, ...]:
    return row.player_id, row.division, row.place, row.next_division, row.prize_minor
