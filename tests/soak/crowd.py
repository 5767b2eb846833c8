"""People who play at many tables, half of them hearing over sockets."""

from __future__ import annotations

import http.client
import json
import secrets
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol
from uuid import UUID

from django.db import Error, close_old_connections

from tables.models.tables import Table
from tests.builders.people.sessions import player_with_session
from tests.soak.listeners import Listeners
from tests.soak.seen_hands import SeenHands

ATTEMPTS = 40
HEARD_EVERY_SECONDS = 0.5
TOKEN = secrets.token_hex(16)


class Person:
    """A user with a session, as a signed-in browser has one."""

    def __init__(self, number: int) -> None:
        self.user, session = player_with_session(f"soak_{number}")
        self.cookie = f"sessionid={session}; csrftoken={TOKEN}"


class NoAnswer(Exception):
    """The site did not answer, however often it was asked."""


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


class Line:
    """One thread's connection; a request that got no answer is sent again as it was."""

    def __init__(
        self, port: int, tally: Tally, stop: threading.Event, tls: ssl.SSLContext | None
    ) -> None:
        self.port, self.tally, self.stop, self.tls = port, tally, stop, tls
        self.origin = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
        self.open: http.client.HTTPConnection | None = None

    def ask(self, person: Person, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {
            "Cookie": person.cookie,
            "Origin": self.origin,
            "X-CSRFToken": TOKEN,
            "Content-Type": "application/json",
        }
        for _ in range(ATTEMPTS):
            if self.open is None:
                self.open = self._connection()
            try:
                sent = None if body is None else json.dumps(body)
                self.open.request(method, f"/api/v1/{path}", sent, headers)
                answer = self.open.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                self.tally.note("unanswered")
                self.open.close()
                self.open = None
            else:
                if answer.status < 500:
                    return answer.status, json.loads(text) if text else None
                self.tally.note(f"answered {answer.status}")
            if self.stop.wait(0.3):
                break
        raise NoAnswer(path)

    def _connection(self) -> http.client.HTTPConnection:
        if self.tls is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=15, context=self.tls)


class Guest(Protocol):
    """Somebody who is at the site for a while."""

    def pay(self, line: Line, chance: Random) -> bool:
        """Look, and do one thing at most; False once there is nothing more to come for."""


class Crowd:
    """So many threads, each of which goes from guest to guest.

    Half of the visits hear over sockets. For the others one thread reads which version each table
    is at, so that nobody asks again for what they have seen. People think for `think_seconds` on
    the average before they play; once they hurry they do not, and drop nearly every hand.
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
        self.tls = tls
        self.port, self.seed, self.think_seconds = port, seed, think_seconds
        self.tally, self.stop, self.hurries = Tally(), threading.Event(), False
        self.watched: set[UUID] = set()
        self.versions: dict[UUID, int] = {}
        self.hands = SeenHands(self.tally.note)
        self.listeners = Listeners(port, self.tally.note, self.hands, seed, tls)
        self.guests: list[list[Guest]] = [[] for _ in range(threads)]
        self.threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(threads)
        ]
        self.threads.append(threading.Thread(target=self._receive, daemon=True))

    def start(self, guests: Iterable[Guest]) -> None:
        """Let these come in; each stays with one thread."""
        for number, guest in enumerate(guests):
            self.guests[number % len(self.guests)].append(guest)
        self.listeners.start()
        for thread in self.threads:
            thread.start()

    @property
    def is_present(self) -> bool:
        """Whether any guest is still there."""
        return any(self.guests)

    def end(self) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(60)
        self.listeners.end()

    def _receive(self) -> None:
        while not self.stop.wait(HEARD_EVERY_SECONDS):
            ours = Table.objects.filter(public_id__in=list(self.watched))
            try:
                self.versions = dict(ours.values_list("public_id", "version"))
            except Error:  # The database may be what is killed.
                self.tally.note("versions not read")
                close_old_connections()
        close_old_connections()

    def _work(self, number: int) -> None:
        chance = Random(f"{self.seed} {number}")
        line = Line(self.port, self.tally, self.stop, self.tls)
        guests = self.guests[number]
        while guests and not self.stop.is_set():
            for guest in list(guests):
                try:
                    if not guest.pay(line, chance):
                        guests.remove(guest)
                except NoAnswer:
                    self.tally.note("given up")
            self.stop.wait(0.05)
        close_old_connections()
