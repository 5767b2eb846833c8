"""The finished games that are rated, in the order in which they are rated.

A game with a last deal is one game, with the places of its results. At a points table players come
and go and each deal is settled in money at once (RB 8.1), so each settled deal is a game: its
winner is first, the others follow by their points, and equal points tie. Not rated are private
tables, cancelled games, void deals, games of two seats that are flagged for review, and games whose
prizes were voided for collusion. Tables of tournaments are rated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from players.accounts.models import User
from tables.games import game_of
from tables.integrity.collusion.models import VoidedPrize
from tables.models.deals import Deal
from tables.models.seats import Score
from tables.models.tables import Table, open_ended
from tables.models.templates import RuleProfile
from tables.ratings.models import Pace, RatingChange
from tables.ratings.rating import places_of
from tables.seats.models import ReviewFlag
from tables.settlement.models import Result
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


def finished_games(
    *, after: Key, until: datetime, limit: int, is_unrated: bool = False
) -> list[FinishedGame]:
    """Return at most `limit` games after a key, in order; optionally only those not yet rated."""
    found = {
        **_whole_games(_tables(after, until, is_unrated=is_unrated)[:limit]),
        **_deals_as_games(_deals(after, until, is_unrated=is_unrated)[:limit]),
    }
    first = sorted(found)[:limit]
    seated = {player for key in first for player in found[key][1]}
    bots = set(User.objects.filter(pk__in=seated, is_bot=True).values_list("pk", flat=True))
    return [_game(key, *found[key], bots) for key in first]


def pool_of(played: Table | RuleProfile, *, with_bots: bool = False) -> Pool:
    """Return the pool of the ratings of a table, or of games with this profile."""
    rules = rules_of(played.profile if isinstance(played, Table) else played)
    pace = Pace.FAST if rules.turn_seconds < STANDARD_SECONDS else Pace.STANDARD
    return Pool(game_of(rules).name, pace, with_bots)


_Found = Mapping[Key, tuple[Table, Mapping[int, Finish]]]


def _game(key: Key, table: Table, players: Mapping[int, Finish], bots: Set[int]) -> FinishedGame:
    pool = pool_of(table, with_bots=not bots.isdisjoint(players))
    return FinishedGame(key, pool, dict(sorted(players.items())))


def _tables(after: Key, until: datetime, *, is_unrated: bool) -> QuerySet[Table]:
    here = {"table": OuterRef("pk")}
    flagged = ReviewFlag.objects.filter(
        **here, seat__result__isnull=False, other__result__isnull=False
    )
    tables = (
        Table.objects.filter(
            ~Exists(flagged),
            ~Exists(VoidedPrize.objects.filter(**here, deal__isnull=True)),
            Exists(Result.objects.filter(**here)),
            Q(finished_at__gt=after.ended_at) | Q(pk__gt=after.table_id),
            phase=Table.Phase.FINISHED,
            invite_code="",
            finished_at__gte=after.ended_at,
            finished_at__lte=until,
        )
        .select_related("profile")
        .order_by("finished_at", "pk")
    )
    if is_unrated:
        tables = tables.filter(~Exists(RatingChange.objects.filter(**here, deal_no=0)))
    return tables


def _deals(after: Key, until: datetime, *, is_unrated: bool) -> QuerySet[Deal]:
    in_deal = Score.objects.filter(table=OuterRef("table"), deal=OuterRef(OuterRef("pk")))
    flagged = ReviewFlag.objects.filter(
        Exists(in_deal.filter(seat=OuterRef("seat"))),
        Exists(in_deal.filter(seat=OuterRef("other"))),
        table=OuterRef("table"),
    )
    later = Q(table__gt=after.table_id) | Q(table=after.table_id, no__gt=after.deal_no)
    deals = (
        Deal.objects.filter(
            open_ended("table__"),
            ~Exists(flagged),
            ~Exists(VoidedPrize.objects.filter(deal=OuterRef("pk"))),
            Q(settled_at__gt=after.ended_at) | later,
            status=Deal.Status.SETTLED,
            table__invite_code="",
            settled_at__gte=after.ended_at,
            settled_at__lte=until,
        )
        .select_related("table__profile")
        .order_by("settled_at", "table", "no")
    )
    if is_unrated:
        of_deal = RatingChange.objects.filter(table=OuterRef("table"), deal_no=OuterRef("no"))
        deals = deals.filter(~Exists(of_deal))
    return deals


def _whole_games(tables: Iterable[Table]) -> _Found:
    by_key = {table.pk: table for table in tables}
    players: defaultdict[int, dict[int, Finish]] = defaultdict(dict)
    results = Result.objects.filter(table__in=by_key).order_by()
    for table_id, player, *finish in results.values_list(
        "table", "seat__player_id", "place", "total"
    ):
        players[table_id][player] = Finish(*finish)
    found = {}
    for table in by_key.values():
        assert table.finished_at is not None, "a finished game has a time"
        found[Key(table.finished_at, table.pk)] = table, players[table.pk]
    return found


def _deals_as_games(deals: Iterable[Deal]) -> _Found:
    by_key = {deal.pk: deal for deal in deals}
    scored: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    tables = {deal.table_id for deal in by_key.values()}
    scores = Score.objects.filter(table__in=tables, deal__in=by_key).order_by()
    for deal_id, player, points, how in scores.values_list(
        "deal", "seat__player_id", "points", "how"
    ):
        scored[deal_id][player] = (how != Score.How.WON, points)
    found = {}
    for deal in by_key.values():
        assert deal.settled_at is not None, "a settled deal has a time"
        ranks = scored[deal.pk]
        places = places_of(list(ranks.values()))
        players = {
            player: Finish(place, points)
            for (player, (_, points)), place in zip(ranks.items(), places, strict=True)
        }
        found[Key(deal.settled_at, deal.table_id, deal.no)] = deal.table, players
    return found
