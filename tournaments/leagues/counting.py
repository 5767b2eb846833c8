"""Count finished contests into results and leaderboards, each once, under one lock."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
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


# What results add to the standing of each player: points, wins and games.
Gains = defaultdict[int, Counter[str]]


class BoardKey(NamedTuple):
    span: str
    division: int
    begins_on: date


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
    if season.state == Season.State.OPEN:  # The row of a closed one is final.
        season.save(update_fields=["counted_change"])
    _remove(season, contests.voided())
    return is_new


def count_again(season: Season) -> None:
    """Remove all results of a season and count them again; the caller holds the lock.

    What was voided after the end of a closed season keeps its results.
    """
    results = LeagueResult.objects.filter(season=season)
    is_closed = season.state == Season.State.CLOSED
    kept = list(results.filter(_of_contests(contests.voided()))) if is_closed else []
    results.delete()
    Standing.objects.filter(board__season=season).delete()
    PointsCount.objects.filter(board__season=season).delete()
    season.counted_change = 0
    while count_batch(season):
        pass
    LeagueResult.objects.bulk_create(kept)
    apply_results(season, kept, sign=1)


def apply_results(season: Season, results: Sequence[LeagueResult], *, sign: int) -> None:
    """Add results to the leaderboards, or with a `sign` of -1 subtract them."""
    divisions = divisions_of(season, {row.player_id for row in results})
    begins_on = contests.day_of(season.starts_at)
    gains: defaultdict[BoardKey, Gains] = defaultdict(lambda: defaultdict(Counter))
    for row in results:
        for key in (
            BoardKey(Board.Span.DAY, OF_ALL, row.day),
            BoardKey(Board.Span.WEEK, OF_ALL, row.day - timedelta(days=row.day.weekday())),
            BoardKey(Board.Span.SEASON, divisions[row.player_id], begins_on),
        ):
            gains[key][row.player_id].update(points=row.points, wins=row.place == 1, games=1)
    for key, of_players in gains.items():
        board, _ = Board.objects.get_or_create(season=season, **key._asdict())
        _change(board, of_players, sign)


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


def _change(board: Board, gains: Gains, sign: int) -> None:
    standings = {row.player_id: row for row in board.standings.filter(player__in=gains)}
    moved: Counter[tuple[int, int]] = Counter()
    for player, gain in gains.items():
        row = standings.setdefault(player, Standing(board=board, player_id=player))
        if row.games:
            moved.subtract(steps_of(row.points))
        row.points += sign * gain["points"]
        row.wins += sign * gain["wins"]
        row.games += sign * gain["games"]
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
