"""What a player's profile shows: ratings with their course, and figures of the latest games.

Everything comes from rated games, which are public; nothing of a private table is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Count, Min, Q, Sum
from django.db.models.functions import Lower

from players.accounts.models import User
from tables.games import GAMES
from tables.models.deals import Move
from tables.models.seats import Score, Seat
from tables.models.tables import Table
from tables.ratings.models import Rating, RatingChange
from wallet.ledger.money import PLAY_POINTS

# The games of which play and manners are counted: old ones are forgotten.
RECENT_GAMES: Final = 100
RECENT_SECONDS: Final = 300
PLOTTED_GAMES: Final = 100
# Of the viewer's games, those in which a common game is looked for.
COMPARED_GAMES: Final = 1_000
BEST_HANDS: Final = 3
# A valid show; hands that won because all others dropped were not shown.
SHOWN: Final = Q(how=Score.How.WON) & ~Q(arrangement="")


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One rating with its names and address in the profile's menu."""

    rating: Rating
    title: str
    name: str


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Common rated games by which of the two had the better place."""

    viewer: int
    player: int
    tied: int

    @property
    def games(self) -> int:
        return self.viewer + self.player + self.tied


def player_named(handle: str) -> User | None:
    """Return the active account with this handle, in any case."""
    named = User.objects.filter(is_active=True).alias(lower=Lower("handle"))
    return named.filter(lower=handle.lower()).first()


def may_see_profile(player: User, viewer: User) -> bool:
    return player.has_public_profile or player.pk == viewer.pk


def rating_rows(player: User) -> list[RatingRow]:
    """Return the player's ratings, those among people first, then those with most games."""
    ratings = player.ratings.order_by("with_bots", "-games", "game", "pace")
    return [
        RatingRow(each, str(GAMES[each.game].title), f"{each.game}-{each.pace}-{each.with_bots:d}")
        for each in ratings
    ]


def plotted(rating: Rating) -> list[RatingChange]:
    """Return the latest changes of a rating, oldest first."""
    return list(rating.changes.order_by("-games")[:PLOTTED_GAMES])[::-1]


def record_of(player: User) -> dict[str, int | None]:
    """Return the `games`, `wins` and `least_points` of a won pool, of rated games among people."""
    won = Q(place=1)
    record: dict[str, int | None] = _of_people(player).aggregate(
        games=Count("pk"),
        wins=Count("pk", filter=won),
        least_points=Min("points", filter=won & Q(rating__game="pool")),
    )
    return record


def recent_play(player: User) -> dict[str, Any]:
    """Return figures of the last 100 rated games among people, at most five minutes old.

    They are the numbers of `games`, `deals`, `shows`, deals that the player `left`, and
    `missed_turns`. `hands` are the quickest valid shows, which everybody at the table saw: their
    `groups`, the player's `turns`, the `points` of the others and `settled_at`. Of equally quick
    ones, those that cost the others most come first. Hands of running games for money are left out.
    """
    found: Any = cache.get_or_set(
        f"tables.ratings.recent:{player.pk}", lambda: _recent_play(player), RECENT_SECONDS
    )
    # The cache stores JSON.
    hands = [
        hand | {"settled_at": datetime.fromisoformat(hand["settled_at"])} for hand in found["hands"]
    ]
    return {**found, "hands": hands}


def head_to_head(player: User, viewer: User) -> HeadToHead | None:
    """Compare the places in common games, also practice; None for oneself or without any."""
    if player.pk == viewer.pk:
        return None
    of_viewer = RatingChange.objects.filter(rating__player=viewer).order_by("-ended_at")
    mine = {
        (table, deal): place
        for table, deal, place in of_viewer.values_list("table", "deal_no", "place")[
            :COMPARED_GAMES
        ]
    }
    of_player = RatingChange.objects.filter(
        rating__in=list(player.ratings.values_list("pk", flat=True)),
        table__in={table for table, _ in mine},
    ).order_by()
    ahead = [
        (place > mine[table, deal]) - (place < mine[table, deal])
        for table, deal, place in of_player.values_list("table", "deal_no", "place")
        if (table, deal) in mine
    ]
    return HeadToHead(ahead.count(1), ahead.count(-1), ahead.count(0)) if ahead else None


def _of_people(player: User) -> Any:
    return RatingChange.objects.filter(rating__player=player, rating__with_bots=False).order_by()


def _recent_play(player: User) -> dict[str, Any]:
    latest = _of_people(player).order_by("-ended_at").values_list("table", flat=True)
    games = list(latest[:RECENT_GAMES])
    seats = Seat.objects.filter(table__in=games, player=player).values_list("pk", flat=True)
    here = {"table__in": games, "seat__in": list(seats)}
    scores = Score.objects.filter(**here).aggregate(
        deals=Count("pk"), shows=Count("pk", filter=SHOWN)
    )
    # A seat that is left in a deal is scored as a drop in most games: the move tells it apart.
    moves = Move.objects.filter(**here).aggregate(
        left=Count("pk", filter=Q(text__contains=" leave")),
        missed_turns=Count("pk", filter=Q(text__contains=" miss")),
    )
    return {"games": len(games), "hands": _best_hands(games, list(seats)), **scores, **moves}


def _best_hands(games: list[int], seats: list[int]) -> list[dict[str, Any]]:
    # In a running game for money spectators see no hands without all players' consent.
    is_open = Q(currency=PLAY_POINTS) | Q(finished_at__isnull=False)
    tables = list(Table.objects.filter(is_open, pk__in=games).values_list("pk", flat=True))
    shows = Score.objects.filter(SHOWN, table__in=tables, seat__in=seats).select_related("deal")
    of_deal = {show.deal_id: show for show in shows}
    in_deals = {"table__in": tables, "deal__in": list(of_deal)}
    draws = Move.objects.filter(**in_deals, seat__in=seats, text__regex=" d[so]")
    turns = dict(draws.order_by().values_list("deal").annotate(Count("pk")))
    points = dict(
        Score.objects.filter(**in_deals).order_by().values_list("deal").annotate(Sum("points"))
    )
    hands = [
        {
            "groups": show.arrangement,
            "turns": turns[deal],
            "points": points[deal],
            "settled_at": show.deal.settled_at.isoformat(),
        }
        for deal, show in of_deal.items()
        # Moves of old months may be in an archive.
        if deal in turns and show.deal.settled_at
    ]
    return sorted(hands, key=lambda hand: (hand["turns"], -hand["points"]))[:BEST_HANDS]
