"""Pages of a leaderboard and a player's own place, at a cost that does not grow with its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.db.models import Exists, OuterRef

from core.clock import database_now
from players.accounts.models import User
from tournaments.leagues.contests import day_of
from tournaments.leagues.counting import OF_ALL, divisions_of
from tournaments.leagues.models import Board, Outcome, PointsCount, Season, Standing, Unlisted
from wallet.ledger.amounts import Amount

ROWS_PER_PAGE: Final = 50
Viewer = User | AnonymousUser | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardRow:
    """A listed player's place on a leaderboard."""

    place: int
    tied: int
    """The number of players who share the place."""
    handle: str
    points: int
    wins: int
    games: int
    is_me: bool
    prize: Amount | None
    """Won at the end of the season."""
    next_division: int | None
    """The new division of a player who was promoted or relegated."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard, and the viewer's own row wherever it is."""

    rows: list[LeaderboardRow]
    me: LeaderboardRow | None
    players: int
    """All players with a result, listed or not."""
    after: str | None
    """The cursor of the next page."""


def board_of(season: Season, span: str, *, day: date, division: int) -> Board | None:
    """Return the leaderboard of a span that contains a day; None without a result."""
    if span == Board.Span.SEASON:
        begins_on = day_of(season.starts_at)
    else:
        begins_on = day if span == Board.Span.DAY else day - timedelta(days=day.weekday())
        division = OF_ALL
    boards = season.boards.filter(span=span, division=division, begins_on=begins_on)
    return boards.first()


def last_day(season: Season) -> date:
    """Return today, or the last day of a season that is over."""
    return min(day_of(database_now()), day_of(season.ends_at - timedelta(microseconds=1)))


def leaderboard(board: Board | None, viewer: Viewer, *, after: str = "") -> Leaderboard:
    """Return a page; raise `BadSignature` for an `after` that is not from this leaderboard.

    Hidden players are left out: those who chose so, those without a public profile, and closed
    accounts. Their places stay empty.
    """
    if board is None:
        return Leaderboard([], None, 0, None)
    hidden = Unlisted.objects.filter(player=OuterRef("player"))
    listed = board.standings.filter(
        ~Exists(hidden), player__is_active=True, player__has_public_profile=True
    )
    if after:
        *figures, public_id = signing.loads(after, salt=_salt(board))
        listed = listed.after((*figures, User.objects.get(public_id=public_id).pk))
    found = list(listed.best_first().select_related("player")[: ROWS_PER_PAGE + 1])
    page = found[:ROWS_PER_PAGE]
    mine = viewer.pk if viewer is not None else None
    own = mine and board.standings.filter(player=mine).select_related("player").first()
    rows = _rows(board, page, mine)
    players = board.counts.filter(shift=max(PointsCount.SHIFTS)).total()
    return Leaderboard(
        rows=rows,
        me=_rows(board, [own], mine)[0] if own else None,
        players=players,
        after=_cursor(board, page[-1]) if len(found) > len(page) else None,
    )


def place_of(board: Board, points: int) -> int:
    """Return the place of players with these points: one behind all who have more."""
    return 1 + board.counts.above(points).total()


def own_division(season: Season, viewer: Viewer) -> int:
    """Return the division of a player in a season; the highest one for visitors."""
    if viewer is None or not viewer.is_authenticated:
        return 1
    return divisions_of(season, [viewer.pk])[viewer.pk]


def _rows(board: Board, shown: Sequence[Standing], mine: int | None) -> list[LeaderboardRow]:
    """Return the rows of consecutive standings, best first."""
    if not shown:
        return []
    best, worst = shown[0].points, shown[-1].points
    between = board.counts.filter(shift=0, points__range=(worst, best))
    counts = dict(between.values_list("points", "players"))
    ahead, places = place_of(board, best), {}
    for points, players in sorted(counts.items(), reverse=True):
        places[points] = ahead
        ahead += players
    ended = Outcome.objects.filter(season=board.season_id, player__in=[r.player_id for r in shown])
    is_final = board.division and board.season.state == Season.State.CLOSED
    by_player = {row.player_id: row for row in ended} if is_final else {}
    return [
        LeaderboardRow(
            place=places[row.points],
            tied=counts[row.points],
            handle=row.player.handle,
            points=row.points,
            wins=row.wins,
            games=row.games,
            is_me=row.player_id == mine,
            **_decided(by_player.get(row.player_id), board.season.currency),
        )
        for row in shown
    ]


def _decided(outcome: Outcome | None, currency: str) -> dict[str, Any]:
    """Return what the end of the season gave the player of a row."""
    if outcome is None:
        return {"prize": None, "next_division": None}
    has_moved = outcome.next_division != outcome.division
    return {
        "prize": Amount.of(outcome.prize_minor, currency) if outcome.prize_minor else None,
        "next_division": outcome.next_division if has_moved else None,
    }


def _cursor(board: Board, row: Standing) -> str:
    """Return the cursor after this row, signed; all its parts are public."""
    *figures, _account = row.rank
    return signing.dumps([*figures, str(row.player.public_id)], salt=_salt(board))


def _salt(board: Board) -> str:
    return f"tournaments.leagues.{board.pk}"
