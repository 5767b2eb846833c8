"""What happens at the tables now: players, games to watch, and how long a kind takes to start.

The answers are the same for all visitors and cached in Redis, so that their cost does not grow with
the number of open lobbies.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import islice
from statistics import median
from typing import Any, Final, cast

from django.core.cache import cache
from django.db.models import Count, Exists, Min, OuterRef, Q

from core.clock import database_now
from players.accounts.avatars import avatar_of
from tables.games import game_of
from tables.models.seats import BuyIn, Seat, SeatQuerySet
from tables.models.tables import Table, TableQuerySet
from tables.ratings.finished_games import pool_of
from tables.ratings.near import shown_ratings
from tables.state.rules import variant_of
from tables.view.prizes import prize_shown
from wallet.ledger.amounts import Amount

ACTIVITY_SECONDS: Final = 4
WAITS_SECONDS: Final = 300
# Games listed in each currency.
WATCHED_MAX: Final = 12
# Expected waits: the games that count, of each kind and in total.
WITHIN: Final = timedelta(days=7)
GAMES_MIN: Final = 5
GAMES_MAX: Final = 20
GAMES_READ: Final = 1_000
PUBLIC: Final = Q(invite_code="") & (Q(owner_ref="") | Q(owner_ref__startswith="tournament:"))


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """A running game that anybody may watch."""

    id: str
    name: str
    variant: str
    deal_no: int
    currency: str
    # Net of rake; the value of a point at points tables.
    prize_minor: int
    is_point_value: bool
    players: list[tuple[str, str, int | None]]
    """The handle, the avatar and the rating of each player, in the order of the seats."""

    @property
    def prize(self) -> Amount:
        return Amount.of(self.prize_minor, self.currency)

    @property
    def handles(self) -> str:
        """The names with their ratings: "asha 1520, ravi"."""
        named = (f"{handle} {rating or ''}".rstrip() for handle, _, rating in self.players)
        return ", ".join(named)


@dataclass(frozen=True, slots=True)
class Activity:
    """People in running games, and public games to watch, by currency; bots do not count."""

    playing: dict[str, int]
    watchable: dict[str, int]
    by_kind: dict[str, int]
    """People in public games by the slug of the kind."""
    tables: list[WatchedTable]


def activity() -> Activity:
    """Return what happens now, at most four seconds old."""
    found: Any = cache.get_or_set(
        "tables.lobby.activity", lambda: asdict(read_activity()), ACTIVITY_SECONDS
    )
    return Activity(**found | {"tables": [WatchedTable(**each) for each in found["tables"]]})


def read_activity() -> Activity:
    people = _people()
    of_people = Exists(people.filter(table=OuterRef("pk")))
    watched = Table.objects.running().filter(PUBLIC).filter(of_people)
    watchable = dict(watched.order_by().values_list("currency").annotate(Count("pk")))
    public = people.filter(table__invite_code="", table__template__isnull=False)
    by_kind = public.values_list("table__template__slug").annotate(Count("player", distinct=True))
    return Activity(
        playing=dict(
            people.values_list("table__currency").annotate(Count("player", distinct=True))
        ),
        watchable=watchable,
        by_kind=dict(by_kind),
        tables=[
            each for currency in watchable for each in _listed(watched.filter(currency=currency))
        ],
    )


def expected_waits() -> dict[str, float]:
    """Return the seconds from the first player's sitting down to the start, by kind.

    The figure of a kind is the median over its last 20 public games without bots that started
    within 7 days, of the start minus the time at which the first of its players sat down. Kinds
    with fewer than 5 such games are left out, and so are games before the last 1,000 of all kinds.
    """
    waits: Any = cache.get_or_set("tables.lobby.waits", read_waits, WAITS_SECONDS)
    return cast("dict[str, float]", waits)


def read_waits() -> dict[str, float]:
    recent = Table.objects.filter(
        owner_ref="",
        invite_code="",
        template__isnull=False,
        bots_fill=False,
        started_at__gte=database_now() - WITHIN,
    )
    rows = recent.order_by("-started_at").values_list("pk", "template__slug", "started_at")
    games = list(rows[:GAMES_READ])
    # Seats get a number at the toss: players who left before the start have none.
    seated = Seat.objects.filter(table__in=[pk for pk, *_ in games], number__isnull=False)
    first = dict(seated.values_list("table").annotate(Min("joined_at")))
    waits = defaultdict(list)
    for pk, kind, started_at in games:
        if pk in first:
            waits[kind].append(max(0.0, (started_at - first[pk]).total_seconds()))
    return {
        kind: median(islice(latest, GAMES_MAX))
        for kind, latest in waits.items()
        if len(latest) >= GAMES_MIN
    }


def _people() -> SeatQuerySet:
    """Return the seats of people who are in a running game."""
    running = {"table__started_at__isnull": False, "table__finished_at__isnull": True}
    return Seat.objects.active().filter(player__is_bot=False, **running).order_by()


def _listed(watched: TableQuerySet) -> list[WatchedTable]:
    """Return the games with the most people, then those that started last."""
    with_people = watched.annotate(
        people=Count("seats", filter=Q(seats__left_at__isnull=True, seats__player__is_bot=False))
    )
    tables = with_people.select_related("profile").order_by("-people", "-started_at", "pk")
    chosen = list(tables[:WATCHED_MAX])
    keys = [table.pk for table in chosen]
    entries = dict(
        BuyIn.objects.filter(table__in=keys, seat__number__isnull=False)
        .order_by()
        .values_list("table")
        .annotate(Count("pk"))
    )
    players = defaultdict(list)
    seated = Seat.objects.present().filter(table__in=keys).in_seat_order()
    of_players = ("player__handle", "player_id", "player__avatar")
    found = list(seated.values_list("table", *of_players))
    ratings = shown_ratings(player for _, _, player, _ in found)
    pools = {table.pk: pool_of(table) for table in chosen}
    for table, handle, player, avatar in found:
        rating = ratings.get((player, pools[table].game, pools[table].pace))
        players[table].append((handle, avatar_of(player, avatar).value, rating))
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
            players=players[table.pk],
        )
        for table in chosen
    ]
