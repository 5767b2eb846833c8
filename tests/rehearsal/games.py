"""What the people of a rehearsal play: pool after pool, a points table each four, a tournament."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from threading import Lock
from typing import NamedTuple
from uuid import UUID

from django.db import Error, connection
from django.utils import timezone

from rummy import PROFILES
from tables.games import opening
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tests.soak.crowd import Crowd, Line, Person
from tests.soak.visits import PointsVisit, Visit
from tournaments.planning.models import Tournament
from tournaments.planning.opening import open_tournament
from tournaments.planning.template_models import TournamentTemplate
from wallet.ledger.models import Account
from wallet.stakes.models import Stake


class Pace(NamedTuple):
    """How long people may think, and how long all wait for each other, in seconds."""

    turn: int
    pause: int
    window: int
    starts_in: int
    round_minutes: int

    @property
    def timers(self) -> dict[str, int]:
        """The timers of the rules; nobody waits long where somebody has gone."""
        windows = dict.fromkeys(("meld_seconds", "rejoin_seconds", "split_seconds"), self.window)
        turn = {"turn_seconds": self.turn, "extra_seconds": 5}
        return turn | windows | {"toss_seconds": 0, "start_seconds": 1, "gap_seconds": self.pause}


UNHURRIED = Pace(turn=15, pause=3, window=6, starts_in=40, round_minutes=2)
HASTY = Pace(turn=5, pause=1, window=2, starts_in=5, round_minutes=1)
PEOPLE_AT_A_POOL, PEOPLE_AT_POINTS, TOURNAMENT_SEATS = 2, 4, 3
ASKED_AGAIN_SECONDS = 2.0
CURRENCY = "PTS"
ENTRY_MINOR = 10_00


class Games:
    """Opens what is played, by the product's own actions, and knows all of it."""

    def __init__(self, people: list[Person], pace: Pace) -> None:
        self.people, self.pace = people, pace
        self.pools: list[Table] = []
        self.points: list[Table] = []
        self.tournament: Tournament | None = None

    @property
    def tables(self) -> list[Table]:
        """All tables there have been, those of the tournament too."""
        tournament = self.tournament
        hosted = Table.objects.filter(owner_ref=tournament.owner_ref) if tournament else []
        return [*self.pools, *self.points, *hosted]

    def guests(self, crowd: Crowd) -> Iterator[Visit | PoolPlayer | Entrant]:
        """Open the first games and yield who comes: a fifth enters the tournament, one sits at
        points tables, the others play pools; every second person receives over a socket.
        """
        fifth = len(self.people) // 5
        at_points = self.people[fifth : 2 * fifth]
        at_pools = self.people[2 * fifth :]
        if fifth:
            self.tournament = open_knockout(fifth, self.pace)
        for number, person in enumerate(self.people[:fifth]):
            assert self.tournament is not None
            yield Entrant(crowd, self.tournament, person, hears_over_socket=number % 2 == 0)
        for number, person in enumerate(at_points):
            if number % PEOPLE_AT_POINTS == 0:
                self.points.append(open_points(number, self.pace))
            table = self.points[-1].public_id
            yield PointsVisit(crowd, table, person, hears_over_socket=number % 2 == 0)
        for number in range(0, len(at_pools), PEOPLE_AT_A_POOL):
            pool = PoolAfterPool(self)
            for place, person in enumerate(at_pools[number : number + PEOPLE_AT_A_POOL]):
                yield PoolPlayer(crowd, pool, person, hears_over_socket=place == 0)

    def is_over(self) -> bool:
        """Return whether nothing is played any more."""
        tournament = self.tournament
        if tournament is not None:
            tournament.refresh_from_db(fields=["state"])
            if not tournament.is_over:
                return False
        keys = [table.pk for table in self.tables]
        return not Table.objects.live().filter(pk__in=keys).exists()


class PoolAfterPool:
    """The pool that some people play at now; the first who finds it over opens the next."""

    def __init__(self, games: Games) -> None:
        self.games, self.lock = games, Lock()
        self.tables: list[Table] = [self._open()]

    def number(self, number: int) -> Table:
        """Return their pool with this number, counted from 0."""
        with self.lock:
            if number == len(self.tables):
                self.tables.append(self._open())
            return self.tables[number]

    def _open(self) -> Table:
        table = open_pool(len(self.games.pools), self.games.pace)
        self.games.pools.append(table)
        return table


class PoolPlayer:
    """A person who sits down at the next pool when one is over."""

    def __init__(
        self, crowd: Crowd, pool: PoolAfterPool, person: Person, *, hears_over_socket: bool
    ) -> None:
        self.crowd, self.pool, self.person = crowd, pool, person
        self.hears_over_socket = hears_over_socket
        self.played = 0
        self.visit: Visit | None = self._visit(pool.tables[0])

    def pay(self, line: Line, chance: Random) -> bool:
        if self.visit is not None:
            if not self.visit.pay(line, chance):
                self.visit, self.played = None, self.played + 1
            return True
        if self.crowd.hurries:
            return False
        try:
            self.visit = self._visit(self.pool.number(self.played))
        except Error:  # The database is away, as people find out too.
            self.crowd.tally.note("pools not opened")
        finally:
            connection.close()  # Every thread would keep one, and the pool has few.
        return True

    def _visit(self, table: Table) -> Visit:
        return Visit(
            self.crowd, table.public_id, self.person, hears_over_socket=self.hears_over_socket
        )


class Entrant:
    """A person who enters a tournament and plays at each table it seats them at."""

    def __init__(
        self, crowd: Crowd, tournament: Tournament, person: Person, *, hears_over_socket: bool
    ) -> None:
        self.crowd, self.person = crowd, person
        self.path = f"tournaments/{tournament.public_id}/"
        self.hears_over_socket = hears_over_socket
        self.has_entered = False
        self.visit: Visit | None = None
        self.asks_at = 0.0

    def pay(self, line: Line, chance: Random) -> bool:
        if self.visit is not None:
            if not self.visit.pay(line, chance):
                self.visit = None
            return True
        if time.monotonic() < self.asks_at:
            return True
        self.asks_at = time.monotonic() + ASKED_AGAIN_SECONDS
        if not self.has_entered:
            status, answer = line.ask(self.person, "POST", f"{self.path}entry/", {})
            self.has_entered = status == 201 or answer.get("code") == "already_registered"
            return True
        status, page = line.ask(self.person, "GET", self.path)
        if status != 200 or page["state"] in Tournament.OVER or page["me"] is None:
            return False
        if (table := page["me"]["table"]) is not None:
            self.visit = Visit(
                self.crowd, UUID(table), self.person, hears_over_socket=self.hears_over_socket
            )
            self.visit.is_seated = True
        return page["me"]["state"] not in ("out", "finished", "released", "withdrawn")


def open_pool(number: int, pace: Pace) -> Table:
    """Open a pool for two people and a bot."""
    base = PROFILES["total-rummy-pool-101" if number % 4 == 3 else "total-rummy-pool-61"]
    return opening.open_table(
        profile=profiles.register_profile(base.with_(name=f"{base.name}-rehearsal", **pace.timers)),
        name=f"Rehearsal {number}",
        currency=CURRENCY,
        entry_minor=ENTRY_MINOR,
        rake_bps=1_000,
        seats_min=PEOPLE_AT_A_POOL + 1,
        seats_max=PEOPLE_AT_A_POOL + 1,
        bots_fill=True,
    )


def open_points(number: int, pace: Pace) -> Table:
    """Open a points table for people alone."""
    base = PROFILES["total-rummy-points"]
    return opening.open_table(
        profile=profiles.register_profile(base.with_(name=f"{base.name}-rehearsal", **pace.timers)),
        name=f"Rehearsal points {number}",
        currency=CURRENCY,
        point_value_minor=10,
        rake_bps=1_000,
        seats_min=2,
        seats_max=PEOPLE_AT_POINTS,
    )


def open_knockout(entrants: int, pace: Pace) -> Tournament:
    """Open a tournament that starts soon with these and bots, three at a table, one goes on."""
    base, now, places = PROFILES["total-rummy-pool-61"], timezone.now(), TOURNAMENT_SEATS
    while places < entrants:
        places *= TOURNAMENT_SEATS
    rules = base.with_(name=f"{base.name}-rehearsal", **pace.timers)
    template = TournamentTemplate.objects.create(
        slug="rehearsal",
        name="Rehearsal",
        profile=profiles.register_profile(rules),
        seats=TOURNAMENT_SEATS,
        qualify=1,
        final_seats=TOURNAMENT_SEATS,
        entrants_max=places,
        entrants_min=2,
        # Then the deal that is played is the round's last.
        round_minutes=pace.round_minutes,
        entry_minor=ENTRY_MINOR,
        rake_bps=1_000,
        bots_fill=True,
        is_offered=False,
    )
    return open_tournament(
        template=template, starts_at=now + timedelta(seconds=pace.starts_in), now=now
    )


def escrow_left() -> int:
    """Return what lies in all escrows, in minor units, and the stakes that wait in them."""
    held = Account.objects.filter(kind=Account.Kind.ESCROW).values_list("balance_minor", flat=True)
    return sum(map(abs, held)) + Stake.objects.in_escrow().count()
