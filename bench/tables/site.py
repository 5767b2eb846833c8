"""What every part of the benchmark shares: a database, players with sessions, tables to play at."""

from __future__ import annotations

import atexit
import os
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from uuid import uuid4

from devtools import launcher
from devtools.datadir import throwaway_datadir

os.environ.setdefault("RUMMY_EPHEMERAL", "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings_test")
os.environ.setdefault("LOG_LEVEL", "WARNING")
# Durable, unlike the tests' servers: a commit that does not reach the disk is no commit.
_servers = None if launcher.are_configured() else launcher.start(throwaway_datadir())
if _servers is not None:
    atexit.register(_servers.stop)

import django

django.setup()

# ruff: noqa: E402  The servers must run before Django reads its settings.
from django.db import connection

from bench.tables.lines import Line
from players.accounts.models import User
from rummy import PROFILES, Rules
from tables.games import opening
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.play.actions import make_move
from tables.seats import seating
from tables.state.fold import fold_of
from tests.builders.people.sessions import player_with_session

NO_PAUSES: Final[dict[str, int]] = {"gap_seconds": 0, "toss_seconds": 0, "start_seconds": 0}
RULES: Final = PROFILES["total-rummy-pool-101"].with_(name="bench", turn_seconds=3600, **NO_PAUSES)
TOKEN: Final = secrets.token_hex(16)
CLIENTS: Final = 8
# Python's own share of opening a table takes a processor; the others wait for the disk.
OPENING_AT_ONCE: Final = 4


class Player:
    """A user with a session, as a signed-in browser has one."""

    def __init__(self, number: int) -> None:
        self.user, session = player_with_session(f"bench_{number}")
        # With the device cookie that the first answer gives to each browser.
        self.cookie = f"sessionid={session}; csrftoken={TOKEN}; device={TOKEN}"


class Game:
    """A table whose players draw a card and discard it; stores the last answer."""

    def __init__(self, players: Sequence[Player], rules: Rules = RULES) -> None:
        self.table = opening.open_table(
            profile=profiles.register_profile(rules),
            name="bench",
            currency="PTS",
            entry_minor=100,
            rake_bps=0,
            seats_min=len(players),
            seats_max=len(players),
        )
        for player in players:
            seating.join(table_id=self.table.pk, player=player.user)
        self.table = Table.objects.select_related("profile").get(pk=self.table.pk)
        self.deal = self.table.deals.get(no=1)
        by_user = {player.user.pk: player for player in players}
        places = list(self.deal.deal_seats.select_related("seat__player").order_by("position"))
        self.seats = [place.seat for place in places]
        self.order = [by_user[seat.player_id] for seat in self.seats]
        self.version, self.to_act, self.drawn = self.table.version, 1, ""
        self.is_over = False
        self.lines: dict[int, Line] = {}

    def text(self) -> str:
        return f"x {self.drawn}" if self.drawn else "ds"

    def follow(self, view: dict[str, Any]) -> None:
        deal, me = view["deal"], view["me"]
        self.version, self.drawn = view["version"], me["drawn"] or ""
        self.is_over = deal["to_act"] is None
        self.to_act = deal["to_act"] or 1

    def step(self) -> None:
        """Make one move through the service."""
        fold = fold_of(self.deal).state
        self.drawn = str(fold.drawn or "")
        seat = self.seats[fold.to_act - 1]
        accepted = make_move(
            seat=seat.pk, move_id=uuid4(), text=self.text(), expected_version=self.version
        )
        self.version = accepted.move.version


def say(text: str) -> None:
    print(text, flush=True)


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(share * len(times)), len(times) - 1)] * 1000


def furnish(tables: int, seats: int, rules: Rules = RULES) -> list[Game]:
    """Open so many tables through the services, several at a time, saying how far it is.

    At those that one thread opens the same few players sit: nobody waits for another's accounts.
    """
    first = User.objects.count()
    crews = [
        [Player(first + crew * seats + number) for number in range(seats)]
        for crew in range(OPENING_AT_ONCE)
    ]
    games: list[Game] = []
    profiles.register_profile(rules)

    def open_share(crew: int) -> None:
        for _ in range(crew, tables, OPENING_AT_ONCE):
            games.append(Game(crews[crew], rules))
            if len(games) % 100 == 0:
                print(f"  {len(games)} of {tables} tables", file=sys.stderr, flush=True)
        connection.close()

    in_threads(open_share, OPENING_AT_ONCE)
    return games


def in_threads(work: Callable[[int], None], threads: int = CLIENTS) -> None:
    """Do the work in so many threads at once; raise the exception of any of them."""
    with ThreadPoolExecutor(threads) as workers:
        for done in [workers.submit(work, number) for number in range(threads)]:
            done.result()


def took(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
