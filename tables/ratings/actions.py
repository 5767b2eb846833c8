"""Rate finished games in a fixed order, under one lock; take ratings back; compare with history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import connection, transaction

from core.clock import database_now
from tables.integrity.collusion.models import VoidedPrize
from tables.ratings.finished_games import FinishedGame, Key, Pool, finished_games
from tables.ratings.models import Rating, RatingChange
from tables.ratings.rating import skills_after

# The key of the advisory lock; one process at a time rates games.
RATINGS_LOCK: Final = 5314
BATCH: Final = 500
# Games rest this long, so that most games that ended before them are committed.
RESTING: Final = timedelta(seconds=3)
# Games that are committed later than others that ended after them are found for this long.
LATE: Final = timedelta(hours=1)
BEGINNING: Final = datetime(2000, 1, 1, tzinfo=UTC)

_Ratings = dict[tuple[int, Pool], Rating]


def rate_due_games(*, now: datetime | None = None) -> int:
    """Rate all games that are due, in batches; return how many.

    Games are rated by the time of their end, then by table and deal, so that ratings are always
    those of `recompute_ratings`.
    """
    now, rated = now or database_now(), 0
    take_back_outdated(now=now)
    while count := rate_next_games(now=now):
        rated += count
    return rated


@transaction.atomic(durable=True)
def rate_next_games(*, now: datetime, limit: int = BATCH) -> int:
    """Rate the next finished games in order; return how many."""
    _lock()
    games = finished_games(after=_last_rated(), until=now - RESTING, limit=limit)
    _rate(games)
    return len(games)


@transaction.atomic(durable=True)
def take_back_outdated(*, now: datetime) -> None:
    """Remove the ratings since an unrated game that ended before others that are rated already.

    Remove those since a rated game whose prize was voided, too.
    """
    _lock()
    last = _last_rated()
    first = Key(last.ended_at - LATE)
    late = finished_games(after=first, until=now - RESTING, limit=1, is_unrated=True)
    since = [game.key.ended_at for game in late if game.key < last] + _rated_and_voided()
    if since:
        _take_back(min(since))


@transaction.atomic(durable=True)
def take_back_ratings() -> None:
    """Remove all ratings and changes; all games are then unrated."""
    _lock()
    _take_back(BEGINNING)


@transaction.atomic(durable=True)
def differences() -> list[str]:
    """Return how the stored ratings differ from those computed from the games alone."""
    _lock()
    return list(_differences())


def _lock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [RATINGS_LOCK])


def _last_rated() -> Key:
    # Changes are written in the order of their keys, under one lock.
    keys = RatingChange.objects.order_by("-pk")
    found = keys.values_list("ended_at", "table_id", "deal_no").first()
    return Key(*found) if found else Key(BEGINNING)


def _rated_and_voided() -> list[datetime]:
    """Return when rated games ended whose prizes were voided later."""
    prizes = VoidedPrize.objects.exclude(table=None).values_list("table", "deal__no")
    voided = {(table, no or 0) for table, no in prizes}
    rated = RatingChange.objects.filter(table__in={table for table, _ in voided}).order_by()
    ends = rated.values_list("table", "deal_no", "ended_at")
    return [end for *game, end in ends if tuple(game) in voided]


def _take_back(since: datetime) -> None:
    gone = RatingChange.objects.filter(ended_at__gte=since)
    touched = Rating.objects.in_bulk(set(gone.order_by().values_list("rating", flat=True)))
    gone.delete()
    left = RatingChange.objects.filter(rating__in=touched).order_by("rating", "-games")
    kept = []
    for change in left.distinct("rating"):
        rating = touched.pop(change.rating_id)
        rating.mu, rating.sigma, rating.games = change.mu, change.sigma, change.games
        kept.append(rating)
    Rating.objects.bulk_update(kept, ["mu", "sigma", "games"], batch_size=BATCH)
    Rating.objects.filter(pk__in=touched).delete()


def _rate(games: list[FinishedGame]) -> None:
    players = {player for game in games for player in game.players}
    ratings: _Ratings = {
        (each.player_id, Pool(each.game, each.pace, each.with_bots)): each
        for each in Rating.objects.filter(player__in=players)
    }
    changes = [change for game in games for change in _changes(game, ratings)]
    changed = {id(change.rating): change.rating for change in changes}
    Rating.objects.bulk_create(
        changed.values(),
        update_conflicts=True,
        unique_fields=["player", "game", "pace", "with_bots"],
        update_fields=["mu", "sigma", "games"],
    )
    RatingChange.objects.bulk_create(changes)


def _changes(game: FinishedGame, ratings: _Ratings) -> list[RatingChange]:
    """Apply a game to these ratings; return its changes, unsaved."""
    mine = [_rating_of(player, game.pool, ratings) for player in game.players]
    places = [finish.place for finish in game.players.values()]
    after = skills_after([rating.skill for rating in mine], places)
    changes = []
    for rating, finish, skill in zip(mine, game.players.values(), after, strict=True):
        rating.mu, rating.sigma = skill
        rating.games += 1
        changes.append(
            RatingChange(
                rating=rating,
                table_id=game.key.table_id,
                deal_no=game.key.deal_no,
                ended_at=game.key.ended_at,
                place=finish.place,
                points=finish.points,
                games=rating.games,
                mu=skill.mu,
                sigma=skill.sigma,
            )
        )
    return changes


def _rating_of(player: int, pool: Pool, ratings: _Ratings) -> Rating:
    if (player, pool) not in ratings:
        ratings[player, pool] = Rating(player_id=player, **pool._asdict())
    return ratings[player, pool]


def _differences() -> Iterator[str]:
    last, ratings, seen = _last_rated(), _Ratings(), 0
    after = Key(BEGINNING)
    while games := finished_games(after=after, until=last.ended_at, limit=BATCH):
        expected = [row for game in games for row in _figures(_changes(game, ratings))]
        of_games = RatingChange.objects.filter(table__in={game.key.table_id for game in games})
        stored = {*_figures(of_games.select_related("rating"))}
        for row in expected:
            if row not in stored:
                yield f"table {row[0]}, deal {row[1]}: player {row[2]} has no change {row[6:]}"
        seen += len(expected)
        after = games[-1].key
    if (count := RatingChange.objects.count()) != seen:
        yield f"{count} changes are stored, {seen} follow from the games"
    for rating in Rating.objects.iterator():
        pool = Pool(rating.game, rating.pace, rating.with_bots)
        expected_rating = ratings.pop((rating.player_id, pool), None)
        if expected_rating is None or _of(expected_rating) != _of(rating):
            yield f"player {rating.player_id}: {rating} does not follow from the games"
    for player, pool in ratings:
        yield f"player {player} has no rating in {pool}"


def _of(row: Rating | RatingChange) -> tuple[int, int, int]:
    return row.games, row.mu, row.sigma


def _figures(changes: Iterable[RatingChange]) -> Iterator[tuple[object, ...]]:
    for each in changes:
        who = (each.rating.player_id, each.rating.game, each.rating.pace, each.rating.with_bots)
        finish = (each.place, each.points, each.ended_at, *_of(each))
        yield (each.table_id, each.deal_no, *who, *finish)
