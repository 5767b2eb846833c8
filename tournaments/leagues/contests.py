"""The finished games and tournaments that a season counts.

Games are those that are rated (`tables.ratings`), so private tables, cancelled games, void deals,
flagged pairs and voided prizes never count. A tournament is one contest with its final places; its
tables are not counted beside it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from math import isqrt
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from core.models import AuditEntry
from players.accounts.models import User
from players.accounts.zones import site_zone
from tables.integrity.collusion.models import VoidedPrize
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tables.ratings.finished_games import Key, finished_games, pool_of
from tables.ratings.models import RatingChange
from tournaments.entries.models import Entry
from tournaments.leagues.models import LeagueResult, Season
from tournaments.planning.models import Tournament
from tournaments.prizes.contests import PREFIX

BATCH: Final = 1_000
# Tournaments of a batch, which may have thousands of entrants each.
BATCH_OF_TOURNAMENTS: Final = 20


class ContestKey(NamedTuple):
    """A game of a table, a deal of a points table, or a tournament."""

    table: int | None
    deal_no: int
    tournament: int | None


class Contest(NamedTuple):
    key: ContestKey
    ended_at: datetime
    # The place of each player by primary key.
    places: Mapping[int, int]


def next_games(season: Season, *, after: int, limit: int = BATCH) -> tuple[list[Contest], int]:
    """Return the season's rated games behind a `RatingChange`, and the last change read.

    Changes are written in the order of their keys, under one lock. Return the same `after` when
    there are no more, and for a series.
    """
    if season.is_series:
        return [], after
    changes = _changes(season)
    read = list(
        changes.filter(pk__gt=after)
        .order_by("pk")
        .values_list("pk", "table_id", "deal_no", "ended_at")[:limit]
    )
    if not read:
        return [], after
    tables = Table.objects.filter(
        pk__in={row[1] for row in read}, owner_ref="", currency=season.currency
    )
    counted = set(tables.values_list("pk", flat=True))
    games = {(table, deal) for _, table, deal, _ in read if table in counted}
    ends = [row[3] for row in read]
    # A batch may end within a game, so its games are read whole.
    rows = changes.filter(
        table__in={table for table, _ in games}, ended_at__range=(min(ends), max(ends))
    )
    found = rows.order_by("table_id", "deal_no", "rating_id").values_list(
        "table_id", "deal_no", "ended_at", "rating__player_id", "place"
    )
    contests = [
        Contest(ContestKey(table, deal, None), ended_at, {row[3]: row[4] for row in group})
        for (table, deal, ended_at), group in groupby(found, key=lambda row: row[:3])
        if (table, deal) in games
    ]
    return contests, read[-1][0]


def next_tournaments(season: Season, *, limit: int = BATCH_OF_TOURNAMENTS) -> list[Contest]:
    """Return finished tournaments of the season that are not counted yet."""
    counted = LeagueResult.objects.filter(
        season=season, table=None, deal_no=0, tournament=OuterRef("pk")
    )
    return _contests(_tournaments(season).filter(~Exists(counted))[:limit])


def results_of(season: Season, contests: Sequence[Contest]) -> list[LeagueResult]:
    """Return the unsaved results of people; bots and staff who planned the season get none."""
    players = {player for contest in contests for player in contest.places}
    left_out = set(User.objects.filter(pk__in=players, is_bot=True).values_list("pk", flat=True))
    left_out |= planners_of(season)
    return [result for contest in contests for result in _results(season, contest, left_out)]


def planners_of(season: Season) -> set[int]:
    """Return the keys of the staff who planned, changed or cancelled a season."""
    acts = AuditEntry.objects.filter(kind=season._meta.label_lower, row=str(season.pk))
    return {by for by in acts.values_list("by_id", flat=True) if by is not None}


def is_all_rated(season: Season) -> bool:
    """Return whether no game that the season counts waits to be rated."""
    first = Key(season.starts_at)
    return season.is_series or not finished_games(
        after=first, until=season.ends_at, limit=1, is_unrated=True
    )


def voided() -> set[ContestKey]:
    """Return the contests whose prizes were voided for collusion."""
    prizes = list(VoidedPrize.objects.values_list("table", "deal__no", "game"))
    games = {game for _, _, game in prizes if game.startswith(PREFIX)}
    ids = {UUID(game.removeprefix(PREFIX)) for game in games}
    tournaments = Tournament.objects.filter(public_id__in=ids).values_list("pk", flat=True)
    return {ContestKey(table, deal or 0, None) for table, deal, _ in prizes if table} | {
        ContestKey(None, 0, pk) for pk in tournaments
    }


def _changes(season: Season) -> QuerySet[RatingChange]:
    changes = RatingChange.objects.filter(
        ended_at__gte=season.starts_at, ended_at__lt=season.ends_at
    )
    if not season.with_bots:
        changes = changes.filter(rating__with_bots=False)
    if season.game:
        changes = changes.filter(rating__game=season.game)
    return changes.filter(rating__pace=season.pace) if season.pace else changes


def _tournaments(season: Season) -> QuerySet[Tournament]:
    entries = Entry.objects.filter(tournament=OuterRef("pk"), place__isnull=False)
    bots = entries.filter(player__is_bot=True)
    people = entries.filter(player__is_bot=False).exclude(player__in=planners_of(season))
    tournaments = Tournament.objects.filter(
        Exists(people),
        state=Tournament.State.FINISHED,
        currency=season.currency,
        profile__in=_profiles(season),
        finished_at__gte=season.starts_at,
        finished_at__lt=season.ends_at,
    ).exclude(pk__in=[key.tournament for key in voided() if key.tournament])
    if season.is_series:
        tournaments = tournaments.filter(template__in=season.templates)
    if not season.with_bots:
        tournaments = tournaments.filter(~Exists(bots))
    return tournaments.order_by("finished_at", "pk")


def _profiles(season: Season) -> list[int]:
    """Return the keys of the profiles of the season's game and pace."""
    return [
        profile.pk
        for profile in RuleProfile.objects.all()
        if season.game in ("", (pool := pool_of(profile)).game) and season.pace in ("", pool.pace)
    ]


def _contests(tournaments: Iterable[Tournament]) -> list[Contest]:
    found = list(tournaments)
    best: defaultdict[int, dict[int, int]] = defaultdict(dict)
    entries = Entry.objects.filter(tournament__in=found, place__isnull=False).order_by("pk")
    for pk, player, place in entries.values_list("tournament", "player", "place"):
        assert place is not None, "only entries with a place were read"
        best[pk][player] = min(place, best[pk].get(player, place))
    return [
        Contest(ContestKey(None, 0, each.pk), each.finished_at, _places_among(best[each.pk]))
        for each in found
        if each.finished_at is not None  # All of them: they are finished.
    ]


def _places_among(best: Mapping[int, int]) -> dict[int, int]:
    """Return the places without those of further entries of the same players (RB 10.6).

    >>> _places_among({7: 1, 8: 4, 9: 4, 5: 6})
    {7: 1, 8: 2, 9: 2, 5: 4}
    """
    in_order = sorted(best.values())
    return {player: bisect_left(in_order, place) + 1 for player, place in best.items()}


def _results(season: Season, contest: Contest, left_out: set[int]) -> Iterator[LeagueResult]:
    places = list(contest.places.values())
    points = contest_points(season.place_points, places, is_weighted=season.is_weighted)
    for (player, place), won in zip(contest.places.items(), points, strict=True):
        if player not in left_out:
            yield LeagueResult(
                season=season,
                player_id=player,
                place=place,
                finishers=len(places),
                points=won,
                ended_at=contest.ended_at,
                day=day_of(contest.ended_at),
                table_id=contest.key.table,
                deal_no=contest.key.deal_no,
                tournament_id=contest.key.tournament,
            )


def day_of(moment: datetime) -> date:
    """Return the day of the installation's time zone."""
    return timezone.localdate(moment, site_zone())


def key_of(result: LeagueResult) -> ContestKey:
    return ContestKey(result.table_id, result.deal_no, result.tournament_id)


def contest_points(
    place_points: Sequence[int], places: Sequence[int], *, is_weighted: bool
) -> list[int]:
    """Return the points of each finisher of a contest, in the order of `places`.

    `place_points` has the points of the first, second, … place; the last place of a contest gets
    none. With `is_weighted` they are multiplied by the square root of the number of opponents,
    in whole tenths. Tied finishers share the points of their places equally, rounded down.

    >>> formula = (100, 60, 40, 25, 15)
    >>> contest_points(formula, [1, 2], is_weighted=True)
    [100, 0]
    >>> contest_points(formula, [1, 2, 3, 4, 5, 6], is_weighted=True)
    [220, 132, 88, 55, 33, 0]
    >>> contest_points(formula, [2, 2, 1], is_weighted=False)
    [30, 30, 100]
    """
    opponents = len(places) - 1
    tenths = isqrt(100 * opponents) if is_weighted else 10
    paid = place_points[:opponents]
    tied = Counter(places)
    points = {
        place: sum(paid[place - 1 : place - 1 + number]) * tenths // (10 * number)
        for place, number in tied.items()
    }
    return [points[place] for place in places]
