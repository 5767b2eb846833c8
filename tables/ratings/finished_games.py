"""The finished games that are rated, in the order in which they are rated.

A game with a last deal is one game, with the places of its results. At a points table players come
and go and each deal is settled in money at once (RB 8.1), so each settled deal is a game: its
winner is first, the others follow by their points, and equal points tie. Not rated are private
tables, cancelled games, void deals, games of two seats that are flagged for review, and games whose
prizes were voided for collusion. Tables of tournaments are rated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final, NamedTuple

from core.db.statements import Statement
from players.accounts.models import User
from tables.games import game_of
from tables.models.tables import OPEN_ENDED_SQL, Table
from tables.models.templates import RuleProfile
from tables.ratings.models import Pace
from tables.state.rules import rules_of

# Turns with less time than this are fast; profiles of the library have 30 seconds.
STANDARD_SECONDS: Final = 20


class Key(NamedTuple):
    """The order in which games are rated; whole games have the number 0."""

    ended_at: datetime
    table_id: int = 0
    deal_no: int = 0


class Pool(NamedTuple):
    """Games whose ratings are comparable."""

    game: str
    pace: str
    with_bots: bool


class Finish(NamedTuple):
    place: int
    points: int


@dataclass(frozen=True, slots=True)
class FinishedGame:
    key: Key
    pool: Pool
    # By the player's key, in the order of the keys.
    players: Mapping[int, Finish]


def _after(end: str, table: str, no: str, *, is_unrated: bool) -> str:
    """Return the end of a query for the next games after a key, until a time."""
    unrated = (
        f"AND NOT EXISTS (SELECT FROM tables_ratingchange c"
        f" WHERE c.table_id = {table} AND c.deal_no = {no})"
    )
    return f"""AND {end} >= %s AND ({end}, {table}, {no}) > (%s, %s, %s) AND {end} <= %s
    {unrated if is_unrated else ""} ORDER BY 1, 2, 3 LIMIT %s"""


def _games(*, is_unrated: bool) -> Statement:
    """Return the query for whole games and deals of points tables, a row for each player."""
    whole = _after("t.finished_at", "t.id", "0", is_unrated=is_unrated)
    deals = _after("d.settled_at", "d.table_id", "d.no", is_unrated=is_unrated)
    return Statement(f"""
WITH games AS (
  (SELECT t.finished_at AS ended_at, t.id, 0 AS no, t.profile_id, NULL::bigint AS deal_id
    FROM tables_table t
    WHERE t.phase = 'finished' AND t.invite_code = ''
    AND EXISTS (SELECT FROM tables_result r WHERE r.table_id = t.id)
    AND NOT EXISTS (SELECT FROM tables_voidedprize v WHERE v.table_id = t.id AND v.deal_id IS NULL)
    AND NOT EXISTS (SELECT FROM tables_reviewflag f
      JOIN tables_result one ON one.table_id = t.id AND one.seat_id = f.seat_id
      JOIN tables_result two ON two.table_id = t.id AND two.seat_id = f.other_id
      WHERE f.table_id = t.id)
    {whole})
  UNION ALL
  (SELECT d.settled_at, d.table_id, d.no, t.profile_id, d.id
    FROM tables_deal d JOIN tables_table t ON t.id = d.table_id
    WHERE d.status = 'settled' AND t.invite_code = '' AND {OPEN_ENDED_SQL}
    AND NOT EXISTS (SELECT FROM tables_voidedprize v WHERE v.deal_id = d.id)
    AND NOT EXISTS (SELECT FROM tables_reviewflag f
      JOIN tables_score one ON one.table_id = f.table_id AND one.seat_id = f.seat_id
      JOIN tables_score two ON two.table_id = f.table_id AND two.seat_id = f.other_id
      WHERE f.table_id = d.table_id AND one.deal_id = d.id AND two.deal_id = d.id)
    {deals})
  ORDER BY 1, 2, 3 LIMIT %s)
SELECT g.ended_at, g.id, g.no, g.profile_id, s.player_id, x.place, x.points
FROM games g CROSS JOIN LATERAL (
  SELECT r.seat_id, r.place, r.total AS points
    FROM tables_result r WHERE g.no = 0 AND r.table_id = g.id
  UNION ALL
  SELECT c.seat_id, rank() OVER (ORDER BY c.how <> 'won', c.points), c.points
    FROM tables_score c WHERE g.no > 0 AND c.table_id = g.id AND c.deal_id = g.deal_id) x
JOIN tables_seat s ON s.table_id = g.id AND s.id = x.seat_id
ORDER BY 1, 2, 3, 5
""")  # noqa: S608  # Names of columns only.


_FINISHED: Final = _games(is_unrated=False)
_UNRATED: Final = _games(is_unrated=True)


def finished_games(
    *, after: Key, until: datetime, limit: int, is_unrated: bool = False
) -> list[FinishedGame]:
    """Return at most `limit` games after a key, in order; optionally only those not yet rated."""
    limits = (after.ended_at, *after, until, limit)
    rows = (_UNRATED if is_unrated else _FINISHED).rows(*limits, *limits, limit)
    profiles = RuleProfile.objects.in_bulk({row[3] for row in rows})
    seated = User.objects.filter(pk__in={row[4] for row in rows})
    bots = set(seated.filter(is_bot=True).values_list("pk", flat=True))
    games = []
    for (*key, profile), group in groupby(rows, key=lambda row: row[:4]):
        players = {player: Finish(place, points) for *_, player, place, points in group}
        pool = pool_of(profiles[profile], with_bots=not bots.isdisjoint(players))
        games.append(FinishedGame(Key(*key), pool, players))
    return games


def pool_of(played: Table | RuleProfile, *, with_bots: bool = False) -> Pool:
    """Return the pool of the ratings of a table, or of games with this profile."""
    rules = rules_of(played.profile if isinstance(played, Table) else played)
    pace = Pace.FAST if rules.turn_seconds < STANDARD_SECONDS else Pace.STANDARD
    return Pool(game_of(rules).name, pace, with_bots)
