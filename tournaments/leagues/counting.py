"""Count finished contests into results and leaderboards, each once, under one lock."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

from django.db import connection, transaction
from django.db.models import Q

from tournaments.leagues import contests
from tournaments.leagues.models import (
    Board,
    LeagueResult,
    Outcome,
    PointsCount,
    Season,
    Standing,
)

# The key of the advisory lock; one process at a time counts results or closes a season.
LEAGUES_LOCK: Final = 5316
WRITTEN_AT_ONCE: Final = 1_000
OF_ALL: Final = 0


class BoardKey(NamedTuple):
    span: str
    division: int
    begins_on: date


class Gain(NamedTuple):
    """What results add to a standing."""

    points: int = 0
    wins: int = 0
    games: int = 0

    def plus(self, other: Gain) -> Gain:
        return Gain(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def lock_leagues() -> None:
    """Take the lock of all counting, until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [LEAGUES_LOCK])


@transaction.atomic(durable=True)
def count_next(*, season_id: int) -> bool:
    """Count the next contests of an open season; return whether there were any."""
    lock_leagues()
    season = Season.objects.locked().get(pk=season_id)
    return season.state == Season.State.OPEN and count_batch(season)


def count_batch(season: Season) -> bool:
    """Count a batch and remove what was voided; return whether there may be more.

    The caller holds the lock.
    """
    games, last = contests.next_games(season, after=season.counted_change)
    found = [*games, *contests.next_tournaments(season)]
    is_new = bool(found) or last > season.counted_change
    _add(season, found)
    season.counted_change = last
    season.save(update_fields=["counted_change"])
    _remove(season, contests.voided())
    return is_new


def forget_results(season: Season) -> None:
    """Remove all results of a season that is not closed; the caller holds the lock."""
    assert season.state == Season.State.OPEN, "results of a closed season are final"
    LeagueResult.objects.filter(season=season).delete()
    Standing.objects.filter(board__season=season).delete()
    PointsCount.objects.filter(board__season=season).delete()
    season.counted_change = 0
    season.save(update_fields=["counted_change"])


def apply_results(season: Season, results: Sequence[LeagueResult], *, sign: int) -> None:
    """Add results to the leaderboards, or with a `sign` of -1 subtract them."""
    divisions = divisions_of(season, {row.player_id for row in results})
    for key, gains in gains_of(season, results, divisions).items():
        board, _ = Board.objects.get_or_create(season=season, **key._asdict())
        _change(board, gains, sign)


def gains_of(
    season: Season, results: Iterable[LeagueResult], divisions: Mapping[int, int]
) -> dict[BoardKey, dict[int, Gain]]:
    """Return what results add to each leaderboard by player; `divisions` are the players'."""
    gains: defaultdict[BoardKey, dict[int, Gain]] = defaultdict(dict)
    begins_on = contests.day_of(season.starts_at)
    for result in results:
        gain = Gain(result.points, int(result.place == 1), 1)
        monday = result.day - timedelta(days=result.day.weekday())
        for key in (
            BoardKey(Board.Span.DAY, OF_ALL, result.day),
            BoardKey(Board.Span.WEEK, OF_ALL, monday),
            BoardKey(Board.Span.SEASON, divisions[result.player_id], begins_on),
        ):
            before = gains[key].get(result.player_id, Gain())
            gains[key][result.player_id] = before.plus(gain)
    return gains


def divisions_of(season: Season, players: Iterable[int]) -> dict[int, int]:
    """Return the division of each player: that of the season before, or the lowest one."""
    divisions = dict.fromkeys(players, season.lowest_division)
    if season.follows_id is not None:
        before = Standing.objects.filter(
            board__season=season.follows_id, board__span=Board.Span.SEASON, player__in=divisions
        )
        moved = Outcome.objects.filter(season=season.follows_id, player__in=divisions)
        divisions |= before.values_list("player", "board__division")
        divisions |= moved.values_list("player", "next_division")
    return {player: min(no, season.lowest_division) for player, no in divisions.items()}


def _add(season: Season, found: Sequence[contests.Contest]) -> None:
    wanted = contests.results_of(season, found)
    keys = _of_contests({each.key for each in found})
    there = {
        (contests.key_of(row), row.player_id)
        for row in (LeagueResult.objects.filter(keys, season=season) if found else ())
    }
    new = [row for row in wanted if (contests.key_of(row), row.player_id) not in there]
    LeagueResult.objects.bulk_create(new, batch_size=WRITTEN_AT_ONCE)
    apply_results(season, new, sign=1)


def _remove(season: Season, keys: set[contests.ContestKey]) -> None:
    if not keys:
        return
    voided = list(LeagueResult.objects.filter(_of_contests(keys), season=season))
    LeagueResult.objects.filter(pk__in=[row.pk for row in voided]).delete()
    apply_results(season, voided, sign=-1)


def _of_contests(keys: Iterable[contests.ContestKey]) -> Q:
    """Return the condition of results of these contests."""
    tournaments = [key.tournament for key in keys if key.tournament is not None]
    deals: defaultdict[int, list[int | None]] = defaultdict(list)
    for key in keys:
        if key.table is not None:
            deals[key.deal_no].append(key.table)
    games = [Q(deal_no=no, table__in=tables) for no, tables in deals.items()]
    return reduce(or_, games, Q(table=None, deal_no=0, tournament__in=tournaments))


def _change(board: Board, gains: Mapping[int, Gain], sign: int) -> None:
    standings = {row.player_id: row for row in board.standings.filter(player__in=gains)}
    moved: Counter[tuple[int, int]] = Counter()
    for player, gain in gains.items():
        row = standings.setdefault(player, Standing(board=board, player_id=player))
        if row.games:
            moved.subtract(steps_of(row.points))
        row.points += sign * gain.points
        row.wins += sign * gain.wins
        row.games += sign * gain.games
        if row.games:
            moved.update(steps_of(row.points))
    Standing.objects.bulk_create(
        [row for row in standings.values() if row.games],
        update_conflicts=True,
        unique_fields=["board", "player"],
        update_fields=["points", "wins", "games"],
        batch_size=WRITTEN_AT_ONCE,
    )
    gone = [row.player_id for row in standings.values() if not row.games]
    board.standings.filter(player__in=gone).delete()
    found = board.counts.filter(points__in={points for _, points in moved})
    counts = {(row.shift, row.points): row.players for row in found}
    PointsCount.objects.bulk_create(
        [
            PointsCount(
                board=board, shift=step[0], points=step[1], players=counts.get(step, 0) + change
            )
            for step, change in moved.items()
            if change
        ],
        update_conflicts=True,
        unique_fields=["board", "shift", "points"],
        update_fields=["players"],
        batch_size=WRITTEN_AT_ONCE,
    )


def steps_of(points: int) -> list[tuple[int, int]]:
    """Return the keys of the counts that have a player with these points.

    >>> steps_of(1000)
    [(0, 1000), (8, 3), (16, 0)]
    """
    return [(shift, points >> shift) for shift in PointsCount.SHIFTS]
