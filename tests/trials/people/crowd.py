"""Simulated people who play at many tables, half of them with sockets."""

from __future__ import annotations

import secrets
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import urllib3
from django.db import Error, close_old_connections

from tables.models.tables import Table
from tests.builders.people.sessions import player_with_session
from tests.trials.people.listeners import Listeners
from tests.trials.people.seen_hands import SeenHands

READ_EVERY_SECONDS = 0.5
TIMEOUT_SECONDS = 15.0
TOKEN = secrets.token_hex(16)


class Person:
    """A user with a session, as a signed-in browser has one."""

    def __init__(self, number: int) -> None:
        self.user, session = player_with_session(f"trial_{number}")
        self.cookie = f"sessionid={session}; csrftoken={TOKEN}"


class Ended(Exception):
    """The trial ended before the site answered."""


@dataclass
class Tally:
    """What happened to the crowd's requests."""

    counts: Counter[str] = field(default_factory=Counter)
    acknowledged: set[str] = field(default_factory=set)
    # When each acknowledged move was first sent, and how long its answer took, retries included.
    answered: list[tuple[float, float]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def acknowledge(self, move_id: str, sent_at: float) -> None:
        with self.lock:
            self.acknowledged.add(move_id)
            self.answered.append((sent_at, time.monotonic() - sent_at))


class Crowd:
    """Some threads, each of which advances the visits of its people one step after the other.

    For people without a socket one thread reads the version of each table, so that nobody requests
    a view that they have. People think for `think_seconds` on average before a move; if `hurries`
    is set they do not think, and drop nearly every hand.
    """

    def __init__(
        self,
        port: int,
        seed: str,
        *,
        threads: int = 6,
        think_seconds: float = 0.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.seed, self.think_seconds, self.threads = seed, think_seconds, threads
        self.tally, self.stop, self.hurries = Tally(), threading.Event(), False
        self.watched: set[UUID] = set()
        self.versions: dict[UUID, int] = {}
        self.hands = SeenHands(self.tally.note)
        self.listeners = Listeners(port, self.tally.note, self.hands, seed, tls)
        self.origin = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        secure = {"ssl_context": tls, "assert_hostname": False} if tls else {}
        self._site = urllib3.connection_from_url(
            self.origin, maxsize=threads, timeout=TIMEOUT_SECONDS, retries=False, **secure
        )
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def ask(self, person: Person, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Return status and content; repeat the same request until it is answered."""
        headers = {"Cookie": person.cookie, "Origin": self.origin, "X-CSRFToken": TOKEN}
        while True:
            try:
                answer = self._site.request(method, f"/api/v1/{path}", json=body, headers=headers)
            except urllib3.exceptions.HTTPError:
                self.tally.note("unanswered")
            else:
                if answer.status < 500:
                    return answer.status, answer.json() if answer.data else None
                self.tally.note(f"answered {answer.status}")
            if self.stop.wait(0.3):
                raise Ended(path)

    @contextmanager
    def playing(self, visits: Sequence[Iterator[None]]) -> Iterator[None]:
        """Let people play during the block."""
        works = [
            threading.Thread(target=self._work, args=(list(visits[number :: self.threads]),))
            for number in range(self.threads)
        ]
        works.append(threading.Thread(target=self._read_versions))
        self.listeners.start()
        for thread in works:
            thread.daemon = True
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in works:
                thread.join(60)
            self.listeners.end()

    def _read_versions(self) -> None:
        while not self.stop.wait(READ_EVERY_SECONDS):
            ours = Table.objects.filter(public_id__in=list(self.watched))
            try:
                self.versions = dict(ours.values_list("public_id", "version"))
            except Error:  # The database may be what was killed.
                self.tally.note("versions not read")
                close_old_connections()
        close_old_connections()

    def _work(self, visits: list[Iterator[None]]) -> None:
        over = object()
        try:
            while visits and not self.stop.is_set():
                visits = [visit for visit in visits if next(visit, over) is not over]
                self.stop.wait(0.05)
        except Ended:
            self.tally.note("ended before an answer")
        finally:
            close_old_connections()
