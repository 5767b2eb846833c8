"""What people play in a trial: pools, points tables, and a tournament."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from threading import Lock
from typing import NamedTuple
from uuid import UUID

from django.db import Error, connection
from django.utils import timezone

from rummy import PROFILES
from tables.games import opening
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tests.trials.people.crowd import Crowd, Person
from tests.trials.people.visits import Visit
from tournaments.planning.models import Tournament
from tournaments.planning.opening import open_tournament
from tournaments.planning.template_models import TournamentTemplate


class Pace(NamedTuple):
    """How long people may think, and how long all wait for each other, in seconds."""

    turn: int
    extra: int
    pause: int
    window: int
    starts_in: int = 5
    round_minutes: int = 1

    def profile(self, name: str) -> RuleProfile:
        """Return a stored profile with these timers."""
        timers = {"turn_seconds": self.turn, "extra_seconds": self.extra}
        timers |= dict.fromkeys(("meld_seconds", "rejoin_seconds", "split_seconds"), self.window)
        timers |= {"toss_seconds": 0, "start_seconds": 1, "gap_seconds": self.pause}
        return profiles.register_profile(PROFILES[name].with_(name=f"{name}-trial", **timers))


UNHURRIED = Pace(turn=15, extra=5, pause=3, window=6, starts_in=40, round_minutes=2)
HASTY = Pace(turn=5, extra=5, pause=1, window=2)
IMPATIENT = Pace(turn=3, extra=2, pause=3, window=6)
PEOPLE_AT_A_POOL, PEOPLE_AT_POINTS, TOURNAMENT_SEATS = 2, 4, 3
ASKED_AGAIN_SECONDS = 2.0
CURRENCY = "PTS"
ENTRY_MINOR = 10_00


def guests(crowd: Crowd, people: list[Person], pace: Pace) -> Iterator[Iterator[None]]:
    """Open the first games and yield what each person does.

    A fifth enters the tournament, a fifth sits at points tables, the others play one pool after the
    other; every second person receives updates over a socket.
    """
    fifth = len(people) // 5
    if fifth:
        tournament = open_knockout(fifth, pace)
    for number, person in enumerate(people[:fifth]):
        yield _enter(crowd, tournament, person, by_socket=number % 2 == 0)
    for number, person in enumerate(people[fifth : 2 * fifth]):
        if number % PEOPLE_AT_POINTS == 0:
            table = open_points(number, pace).public_id
        yield Visit(crowd, table, person, by_socket=number % 2 == 0, has_end=False).play()
    at_pools = people[2 * fifth :]
    for first in range(0, len(at_pools), PEOPLE_AT_A_POOL):
        pools = Pools(first, pace)
        for place, person in enumerate(at_pools[first : first + PEOPLE_AT_A_POOL]):
            yield _play_pools(crowd, pools, person, by_socket=place == 0)


class Pools:
    """The pools that some people play one after the other; the first to finish opens the next."""

    def __init__(self, first: int, pace: Pace) -> None:
        self.first, self.pace, self.lock = first, pace, Lock()
        self.tables: list[Table] = []
        self.number(0)

    def number(self, number: int) -> Table:
        """Return the pool with this number, counted from 0."""
        with self.lock:
            if number == len(self.tables):
                limit = 101 if (self.first + number) % 4 == 3 else 61
                seats = PEOPLE_AT_A_POOL + 1
                self.tables.append(
                    open_pool(self.first + number, self.pace, seats=seats, limit=limit)
                )
            return self.tables[number]


def _play_pools(crowd: Crowd, pools: Pools, person: Person, *, by_socket: bool) -> Iterator[None]:
    """Play one pool after the other, until people hurry."""
    played = 0
    while not (played and crowd.hurries):
        try:
            table = pools.number(played)
        except Error:  # The database may be what was killed.
            crowd.tally.note("pools not opened")
            yield
            continue
        finally:
            connection.close()  # Every thread would keep one, and the pooler has few.
        yield from Visit(crowd, table.public_id, person, by_socket=by_socket).play()
        played += 1


def _enter(
    crowd: Crowd, tournament: Tournament, person: Person, *, by_socket: bool
) -> Iterator[None]:
    """Enter a tournament and play at each of its tables where the person is seated."""
    path = f"tournaments/{tournament.public_id}/"
    while True:
        status, answer = crowd.ask(person, "POST", f"{path}entry/", {})
        if status == 201 or answer.get("code") == "already_registered":
            break
        yield from _pause()
    while True:
        yield from _pause()
        status, page = crowd.ask(person, "GET", path)
        if status != 200 or page["state"] in Tournament.OVER or page["me"] is None:
            return
        if (table := page["me"]["table"]) is not None:
            visit = Visit(crowd, UUID(table), person, by_socket=by_socket, is_seated=True)
            yield from visit.play()
        elif page["me"]["state"] in ("out", "finished", "released", "withdrawn"):
            return


def _pause() -> Iterator[None]:
    until = time.monotonic() + ASKED_AGAIN_SECONDS
    while time.monotonic() < until:
        yield


def open_pool(number: int, pace: Pace, *, seats: int, limit: int) -> Table:
    """Open a pool of this number of points, in which bots take the places of missing people."""
    return opening.open_table(
        profile=pace.profile(f"total-rummy-pool-{limit}"),
        name=f"Trial {number}",
        currency=CURRENCY,
        entry_minor=ENTRY_MINOR,
        rake_bps=1_000,
        seats_min=seats,
        seats_max=seats,
        bots_fill=True,
    )


def open_points(number: int, pace: Pace) -> Table:
    """Open a points table for people alone."""
    return opening.open_table(
        profile=pace.profile("total-rummy-points"),
        name=f"Trial of points {number}",
        currency=CURRENCY,
        point_value_minor=10,
        rake_bps=1_000,
        seats_min=2,
        seats_max=PEOPLE_AT_POINTS,
    )


def open_knockout(entrants: int, pace: Pace) -> Tournament:
    """Open a tournament that starts soon: tables of three with bots, one winner advances."""
    now, places = timezone.now(), TOURNAMENT_SEATS
    while places < entrants:
        places *= TOURNAMENT_SEATS
    template = TournamentTemplate.objects.create(
        slug="trial",
        name="Trial",
        profile=pace.profile("total-rummy-pool-61"),
        seats=TOURNAMENT_SEATS,
        qualify=1,
        final_seats=TOURNAMENT_SEATS,
        entrants_max=places,
        entrants_min=2,
        # The deal that is played then is the round's last.
        round_minutes=pace.round_minutes,
        entry_minor=ENTRY_MINOR,
        rake_bps=1_000,
        bots_fill=True,
        is_offered=False,
    )
    return open_tournament(
        template=template, starts_at=now + timedelta(seconds=pace.starts_in), now=now
    )
