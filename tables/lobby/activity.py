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
from django.db.models import Count, Exists, Min, OuterRef

from core.clock import database_now
from tables.lobby.watched import PUBLIC, WatchedTable, listed
from tables.models.seats import Seat, SeatQuerySet
from tables.models.tables import Table

ACTIVITY_SECONDS: Final = 4
WAITS_SECONDS: Final = 300
# Expected waits: the games that count, of each kind and in total.
WITHIN: Final = timedelta(days=7)
GAMES_MIN: Final = 5
GAMES_MAX: Final = 20
GAMES_READ: Final = 1_000


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
            each for currency in watchable for each in listed(watched.filter(currency=currency))
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
