"""Games to watch: featured ones, other public ones, and those of a player's friends.

Of the 60 public running games with the most people, three are featured in each currency: the one
with the highest mean rating of two or more players, the one with the most spectators, and the one
with the highest prize. A game is featured once, for the first of these; ties go to the earlier in
the list, which has the games with the most people first, then those that started last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final

from django.core.cache import cache
from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from core.clock import database_now
from players.accounts.avatars import avatar_of
from players.accounts.models import User
from tables.games import game_of
from tables.manners.models import Block
from tables.models.seats import BuyIn, Seat
from tables.models.tables import Table, TableQuerySet
from tables.ratings.finished_games import pool_of
from tables.ratings.near import shown_ratings
from tables.seats import open_sockets
from tables.state.rules import variant_of
from tables.view.prizes import prize_shown
from wallet.ledger.amounts import Amount

# Games listed in each currency, and those among which featured ones are chosen.
WATCHED_MAX: Final = 12
CANDIDATES_MAX: Final = 60
RATED_LEAST: Final = 2
FRIENDS_MAX: Final = 200
FRIENDS_SECONDS: Final = 300
FRIENDS_TABLES_MAX: Final = 6
PUBLIC: Final = Q(invite_code="") & (Q(owner_ref="") | Q(owner_ref__startswith="tournament:"))
REASONS: Final = {
    "rating": _("Highest rating"),
    "watchers": _("Most watched"),
    "prize": _("Highest prize"),
}


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """A running game that the viewer may watch."""

    id: str
    name: str
    variant: str
    deal_no: int
    currency: str
    # Net of rake; the value of a point at points tables.
    prize_minor: int
    is_point_value: bool
    # Open connections of people without a seat here.
    watchers: int
    players: list[tuple[str, str, int | None]]
    """The handle, the avatar and the rating of each player, in the order of the seats."""
    featured: str = ""
    """Why it is featured, a key of `REASONS`; empty for the others."""

    @property
    def prize(self) -> Amount:
        return Amount.of(self.prize_minor, self.currency)

    @property
    def handles(self) -> str:
        """The names with their ratings: "asha 1520, ravi"."""
        named = (f"{handle} {rating or ''}".rstrip() for handle, _, rating in self.players)
        return ", ".join(named)

    @property
    def reason(self) -> str:
        return str(REASONS[self.featured]) if self.featured else ""

    @property
    def mean_rating(self) -> float:
        """The mean rating, 0 with fewer than two rated players."""
        ratings = [rating for _, _, rating in self.players if rating is not None]
        return fmean(ratings) if len(ratings) >= RATED_LEAST else 0


def listed(watched: TableQuerySet) -> list[WatchedTable]:
    """Return the featured games of one currency, then the others with the most people."""
    people = Q(seats__left_at__isnull=True, seats__player__is_bot=False)
    by_people = watched.annotate(people=Count("seats", filter=people))
    tables = by_people.select_related("profile").order_by("-people", "-started_at", "pk")
    rows = featured_first(_rows(list(tables[:CANDIDATES_MAX])))
    return rows[:WATCHED_MAX]


def featured_first(rows: list[WatchedTable]) -> list[WatchedTable]:
    """Return the rows with the featured ones marked and first."""
    figures: dict[str, Callable[[WatchedTable], float]] = {
        "rating": lambda row: row.mean_rating,
        "watchers": lambda row: row.watchers,
        "prize": lambda row: 0 if row.is_point_value else row.prize_minor,
    }
    chosen: dict[str, str] = {}
    for reason, figure in figures.items():
        left = [row for row in rows if row.id not in chosen and figure(row) > 0]
        if left:
            chosen[max(left, key=figure).id] = reason
    first = [replace(row, featured=chosen[row.id]) for row in rows if row.id in chosen]
    return [*first, *(row for row in rows if row.id not in chosen)]


def of_friends(player: User, *, besides: Collection[str]) -> list[WatchedTable]:
    """Return running games of the player's friends, except tables with these public ids.

    Private ones are included if the player opened them or sat there.
    """
    friends = cache.get_or_set(
        f"tables.lobby.friends:{player.pk}", lambda: _friends_of(player), FRIENDS_SECONDS
    )
    if not friends:
        return []
    seated = Seat.objects.active().filter(table=OuterRef("pk"), player__in=friends)
    own = Seat.objects.filter(table=OuterRef("pk"), player=player)
    may_watch = PUBLIC | Q(opened_by=player) | Exists(own)
    running = Table.objects.running().filter(Exists(seated), may_watch, bots_fill=False)
    tables = running.exclude(public_id__in=besides).select_related("profile")
    return _rows(list(tables.order_by("-started_at")[:FRIENDS_TABLES_MAX]))


def _friends_of(player: User) -> list[int]:
    """Return the keys of people who sat at a private table with the player, latest first.

    They came by the link that one of them gave the other. Players with hidden profiles are left
    out, as no page shows what they play; so are those who have blocked the player, or are blocked.
    """
    private = Seat.objects.of_player(player).exclude(table__invite_code="")
    tables = private.filter(table__bots_fill=False).values("table")
    people = Seat.objects.filter(
        table__in=tables, player__is_bot=False, player__has_public_profile=True
    )
    latest = people.exclude(player=player).order_by("-pk").values_list("player_id", flat=True)
    found = dict.fromkeys(latest[: 5 * FRIENDS_MAX])
    apart = Block.objects.between(player.pk, found).values_list("player", "blocked")
    kept_apart = {key for pair in apart for key in pair}
    return [key for key in found if key not in kept_apart][:FRIENDS_MAX]


def _rows(chosen: list[Table]) -> list[WatchedTable]:
    keys = [table.pk for table in chosen]
    if not keys:
        return []
    entries = dict(
        BuyIn.objects.filter(table__in=keys, seat__number__isnull=False)
        .order_by()
        .values_list("table")
        .annotate(Count("pk"))
    )
    watchers = open_sockets.watchers(keys, now=database_now())
    players = _players_of({table.pk: table for table in chosen})
    return [
        WatchedTable(
            id=str(table.public_id),
            name=table.name,
            variant=variant_of(table.profile),
            deal_no=table.deal_no,
            currency=table.currency,
            prize_minor=table.point_value_minor
            or prize_shown(table, entries=entries.get(table.pk, 0)).minor,
            is_point_value=game_of(table).has_stacks,
            watchers=watchers.get(table.pk, 0),
            players=players[table.pk],
        )
        for table in chosen
    ]


def _players_of(tables: dict[int, Table]) -> dict[int, list[tuple[str, str, int | None]]]:
    seated: Iterable[Any] = (
        Seat.objects.present()
        .filter(table__in=tables)
        .in_seat_order()
        .values_list("table", "player__handle", "player_id", "player__avatar")
    )
    found = list(seated)
    ratings = shown_ratings(player for _, _, player, _ in found)
    pools = {key: pool_of(table) for key, table in tables.items()}
    players = defaultdict(list)
    for table, handle, player, avatar in found:
        rating = ratings.get((player, pools[table].game, pools[table].pace))
        players[table].append((handle, avatar_of(player, avatar).value, rating))
    return players
