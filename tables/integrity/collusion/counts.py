"""Counts of what pairs of players did in a span of days; each figure is one query.

The database counts and sorts; rows are read through a server-side cursor, so that memory does not
grow with the installation. All settled deals of people in one currency count. A giver loses a deal
or discards a card; a taker wins the deal or takes the card.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from tables.integrity.collusion.statistics import Share, Sum

# Pairs with fewer common deals, or discards, are skipped.
DEALS_LEAST: Final = 12
DISCARDS_LEAST: Final = 20

# The keys of two players, the lower first.
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Span:
    """Whole days in the installation's time zone, both included, in one currency."""

    first_day: date
    last_day: date
    currency: str

    @property
    def values(self) -> dict[str, Any]:
        zone = timezone.get_default_timezone()
        begins = datetime.combine(self.first_day, time(), zone)
        ends = datetime.combine(self.last_day + timedelta(days=1), time(), zone)
        return {"begins": begins, "ends": ends, "currency": self.currency}


@dataclass(frozen=True, slots=True)
class Losses:
    """Deals at tables of one size: all, lost, dropped, and the points lost."""

    lost: Share
    drops: Share
    points: Sum


@dataclass(frozen=True, slots=True)
class Together:
    """A giver's deals with a taker, and those without the taker, by table size.

    With the taker, drops and points are those in deals that the taker won.
    """

    giver: int
    taker: int
    seen: Mapping[int, Losses]
    own: Mapping[int, Losses]


@dataclass(frozen=True, slots=True)
class Fed:
    """The giver's discards offered to the taker, and to others; takes are hits."""

    giver: int
    taker: int
    seen: Share
    given: Share
    taken: Share


# A row for each person's part in each deal.
DEALT: Final = """
    dealt AS (
        SELECT c.deal_id AS deal, s.player_id AS player, c.how, c.points::bigint AS points,
            count(*) OVER (PARTITION BY c.deal_id) AS seats
        FROM tables_score AS c
        JOIN tables_deal AS d ON d.id = c.deal_id AND d.status = 'settled'
            AND d.settled_at >= %(begins)s AND d.settled_at < %(ends)s
        JOIN tables_table AS t ON t.id = d.table_id AND t.currency = %(currency)s
        JOIN tables_seat AS s ON s.id = c.seat_id
        JOIN players_user AS u ON u.id = s.player_id AND NOT u.is_bot
    )
"""
_DROPPED: Final = "how IN ('first_drop', 'middle_drop')"
_BASE: Final = f"""
    WITH {DEALT}
    SELECT seats, count(*), count(*) FILTER (WHERE how <> 'won'),
        count(*) FILTER (WHERE {_DROPPED}), coalesce(sum(points) FILTER (WHERE how <> 'won'), 0),
        coalesce(sum(points * points) FILTER (WHERE how <> 'won'), 0)
    FROM dealt GROUP BY seats
"""  # noqa: S608
# Deals with an already suspected partner do not count as a player's usual play.
_TOGETHER: Final = f"""
    WITH {DEALT}, partner AS (
        SELECT * FROM unnest(%(ones)s::bigint[], %(others)s::bigint[]) AS p (one, other)
    ), marked AS (
        SELECT d.*, NOT EXISTS (
            SELECT FROM dealt AS o JOIN partner AS p ON p.one = d.player AND p.other = o.player
            WHERE o.deal = d.deal) AS is_usual
        FROM dealt AS d
    ), own AS (
        SELECT player, seats, count(*) FILTER (WHERE is_usual) AS deals,
            count(*) FILTER (WHERE is_usual AND how <> 'won') AS lost,
            count(*) FILTER (WHERE is_usual AND {_DROPPED}) AS drops,
            coalesce(sum(points) FILTER (WHERE is_usual AND how <> 'won'), 0) AS points
        FROM marked GROUP BY player, seats
    ), pair AS (
        SELECT l.player AS giver, o.player AS taker, l.seats, count(*) AS deals,
            count(*) FILTER (WHERE l.how <> 'won') AS lost,
            count(*) FILTER (WHERE o.how = 'won') AS lost_to,
            count(*) FILTER (WHERE o.how = 'won' AND l.{_DROPPED}) AS drops_to,
            coalesce(sum(l.points) FILTER (WHERE o.how = 'won'), 0) AS points_to,
            count(*) FILTER (WHERE l.is_usual) AS usual,
            count(*) FILTER (WHERE l.is_usual AND l.how <> 'won') AS usual_lost,
            count(*) FILTER (WHERE l.is_usual AND l.{_DROPPED}) AS usual_drops,
            coalesce(sum(l.points) FILTER (WHERE l.is_usual AND l.how <> 'won'), 0) AS usual_points
        FROM marked AS l JOIN dealt AS o ON o.deal = l.deal AND o.player <> l.player
        GROUP BY l.player, o.player, l.seats
    ), counted AS (
        SELECT *, sum(deals) OVER (PARTITION BY giver, taker) AS together FROM pair
    )
    SELECT p.giver, p.taker, p.seats, p.deals, p.lost, p.lost_to, p.drops_to, p.points_to,
        o.deals - p.usual, o.lost - p.usual_lost, o.drops - p.usual_drops,
        o.points - p.usual_points
    FROM counted AS p JOIN own AS o ON o.player = p.giver AND o.seats = p.seats
    WHERE p.together >= %(least)s
    ORDER BY least(p.giver, p.taker), greatest(p.giver, p.taker), p.giver, p.seats
"""  # noqa: S608
# Each discard with the next player's choice between it and the stock.
_FED: Final = """
    WITH act AS (
        SELECT m.deal_id, m.seat_id, m.text LIKE 'p%% x %%' AS is_discard,
            lead(m.seat_id) OVER next AS next_seat, lead(m.text) OVER next AS next_text
        FROM tables_move AS m
        JOIN tables_deal AS d ON d.id = m.deal_id AND d.status = 'settled'
            AND d.settled_at >= %(begins)s AND d.settled_at < %(ends)s
        JOIN tables_table AS t ON t.id = d.table_id AND t.currency = %(currency)s
        WINDOW next AS (PARTITION BY m.deal_id ORDER BY m.ply)
    ), pair AS (
        SELECT g.player_id AS giver, n.player_id AS taker, count(*) AS discards,
            count(*) FILTER (WHERE a.next_text LIKE 'p%% do%%') AS takes
        FROM act AS a
        JOIN tables_seat AS g ON g.id = a.seat_id
        JOIN tables_seat AS n ON n.id = a.next_seat
        JOIN players_user AS gu ON gu.id = g.player_id AND NOT gu.is_bot
        JOIN players_user AS nu ON nu.id = n.player_id AND NOT nu.is_bot
        WHERE a.is_discard AND a.next_text ~ '^p[0-9]+ d[so]( |$)'
        GROUP BY g.player_id, n.player_id
    )
"""
_BASE_FED: Final = f"""{_FED}
    SELECT coalesce(sum(takes), 0), coalesce(sum(discards), 0) FROM pair
"""  # noqa: S608
_FED_TO: Final = f"""{_FED}, counted AS (
        SELECT *, sum(discards) OVER g AS given, sum(takes) OVER g AS given_takes,
            sum(discards) OVER t AS taken, sum(takes) OVER t AS taken_takes
        FROM pair
        WINDOW g AS (PARTITION BY giver), t AS (PARTITION BY taker)
    )
    SELECT giver, taker, takes, discards, given_takes - takes, given - discards,
        taken_takes - takes, taken - discards
    FROM counted WHERE discards >= %(least)s
    ORDER BY least(giver, taker), greatest(giver, taker), giver
"""  # noqa: S608


def base_losses(span: Span) -> dict[int, Losses]:
    """Return the base rates of all players, by table size."""
    losses = {}
    for row in _streamed(_BASE, span.values):
        seats, deals, lost, drops, points, squares = map(int, row)
        losses[seats] = Losses(Share(lost, deals), Share(drops, lost), Sum(points, lost, squares))
    return losses


def together(span: Span, suspected: Collection[Pair] = ()) -> Iterator[Together]:
    """Yield every pair with enough common deals, one row per direction.

    Deals with a partner of a suspected pair do not count as a player's usual play.
    """
    partners = [*suspected, *((other, one) for one, other in suspected)]
    values = {
        "least": DEALS_LEAST,
        "ones": [one for one, _other in partners],
        "others": [other for _one, other in partners],
    }
    rows = _streamed(_TOGETHER, span.values | values)
    for (giver, taker), own_rows in groupby(rows, key=lambda row: (row[0], row[1])):
        seen, own = {}, {}
        for _giver, _taker, seats, *figures in own_rows:
            deals, lost, lost_to, drops, points, *others = map(int, figures)
            seen[seats] = Losses(Share(lost, deals), Share(drops, lost_to), Sum(points, lost_to))
            deals, lost, drops, points = others
            own[seats] = Losses(Share(lost, deals), Share(drops, lost), Sum(points, lost))
        yield Together(giver, taker, seen, own)


def base_fed(span: Span) -> Share:
    """Return how many of all discards offered to a next player were taken."""
    ((takes, discards),) = _streamed(_BASE_FED, span.values)
    return Share(int(takes), int(discards))


def fed(span: Span) -> Iterator[Fed]:
    """Yield every pair with enough discards between them, one row per direction."""
    for giver, taker, *figures in _streamed(_FED_TO, span.values | {"least": DISCARDS_LEAST}):
        takes, discards, given_takes, given, taken_takes, taken = map(int, figures)
        yield Fed(
            giver,
            taker,
            seen=Share(takes, discards),
            given=Share(given_takes, given),
            taken=Share(taken_takes, taken),
        )


def _streamed(sql: str, values: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query through a server-side cursor."""
    with connection.chunked_cursor() as cursor:
        # The planner's row estimates for the WITH queries are far too low for nested loops.
        with connection.cursor() as plain:
            plain.execute("SET LOCAL enable_nestloop = off")
            cursor.execute(sql, values)
            plain.execute("SET LOCAL enable_nestloop = on")
        yield from cursor
