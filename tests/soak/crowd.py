"""People who play at many tables, half of them hearing over sockets: they drop and walk out."""

from __future__ import annotations

import http.client
import json
import secrets
import ssl
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import uuid4

from django.db import Error, close_old_connections

from tables.table.models import Table
from tests.builders.people.sessions import player_with_session
from tests.soak.listeners import Listener, Listeners

THREADS = 6
ATTEMPTS = 40
HEARD_EVERY_SECONDS = 0.5
OVER = ("finished", "cancelled")
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
                self.open.request(method, f"/api/v1/tables/{path}", sent, headers)
                answer = self.open.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                self.tally.note("unanswered")
                self.open.close()
                self.open = None
            else:
                if answer.status < 500:
                    return answer.status, json.loads(text) if text else None
                self.tally.note("server errors")
            if self.stop.wait(0.3):
                break
        raise NoAnswer(path)

    def _connection(self) -> http.client.HTTPConnection:
        if self.tls is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=15, context=self.tls)


class Crowd:
    """So many threads that go from table to table, as whoever sits there.

    Half of the visits hear over sockets. For the others one thread reads which version each table
    is at, so that nobody asks again for what they have seen.
    """

    def __init__(
        self,
        port: int,
        tables: Sequence[Table],
        people: Sequence[Person],
        seed: str,
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.tls = tls
        self.port, self.tables, self.people, self.seed = port, tables, people, seed
        self.tally, self.stop = Tally(), threading.Event()
        self.versions: dict[int, int] = {}
        self.listeners = Listeners(port, self.tally.note, seed, tls)
        self.threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(THREADS)
        ]
        self.threads.append(threading.Thread(target=self._hear, daemon=True))

    def start(self) -> None:
        self.listeners.start()
        for thread in self.threads:
            thread.start()

    def end(self) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(60)
        self.listeners.end()

    def _hear(self) -> None:
        ours = Table.objects.filter(pk__in=[table.pk for table in self.tables])
        while not self.stop.wait(HEARD_EVERY_SECONDS):
            try:
                self.versions = dict(ours.values_list("pk", "version"))
            except Error:  # The database may be what is killed.
                self.tally.note("versions not read")
                close_old_connections()
        close_old_connections()

    def _work(self, number: int) -> None:
        chance = Random(f"{self.seed} {number}")
        line = Line(self.port, self.tally, self.stop, self.tls)
        visits = []
        for index in range(number, len(self.tables), THREADS):
            for offset in (0, 1):
                person = self.people[(2 * index + offset) % len(self.people)]
                visit = Visit(self, self.tables[index], person, line, chance)
                visit.hears_over_socket = offset == 0
                visits.append(visit)
        while visits and not self.stop.is_set():
            for visit in list(visits):
                try:
                    if not visit.pay():
                        visits.remove(visit)
                except NoAnswer:
                    self.tally.note("given up")
            self.stop.wait(0.05)
        close_old_connections()


class Visit:
    """One person at one table."""

    def __init__(
        self, crowd: Crowd, table: Table, person: Person, line: Line, chance: Random
    ) -> None:
        self.crowd, self.table, self.path = crowd, table.pk, table.public_id
        self.person, self.line, self.chance = person, line, chance
        self.tally, self.away_until, self.is_seated = line.tally, 0.0, False
        self.seen_version = -1
        self.hears_over_socket = False
        self.listener: Listener | None = None

    def pay(self) -> bool:
        """Look at the table and do one thing; False once there is nothing more to come for."""
        if time.monotonic() < self.away_until:
            return True
        if not self.is_seated:
            self.is_seated = self._sit_down()
            return self.is_seated
        view = self._newer_view()
        if view is None:
            return True
        if view["phase"] in OVER:
            return False
        self.seen_version = view["version"]
        what = self.chance.random()
        if what < 0.02:
            self.tally.note("lost lines")
            self.away_until = time.monotonic() + self.chance.uniform(2, 12)
            self.seen_version = -1
        elif what < 0.022 and view["phase"] == "playing":
            self._ask("DELETE", "seats/mine/")
            self.tally.note("walked out")
            return False
        else:
            self._act(view, view["me"])
        return True

    def _newer_view(self) -> dict[str, Any] | None:
        """Return the table as it is, None if it is as this person saw it last."""
        if self.hears_over_socket:
            if self.listener is None:
                self.listener = self.crowd.listeners.listen(self.path, self.person.cookie)
            return self.listener.newer_than(self.seen_version)
        if self.crowd.versions.get(self.table) == self.seen_version:
            return None
        status, view = self._ask("GET", "")
        return view if status == 200 else {"phase": OVER[0]}

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return self.line.ask(self.person, method, f"{self.path}/{path}", body)

    def _sit_down(self) -> bool:
        status, answer = self._ask("POST", "seats/", {})
        return status == 201 or answer.get("code") == "already_seated"

    def _act(self, view: dict[str, Any], me: dict[str, Any]) -> None:
        asked = view["window"]
        if asked and asked["mine"] and asked["mine"]["can_answer"]:
            said = "no" if self.chance.random() < 0.2 else "yes"
            self._ask("POST", f"windows/{asked['id']}/answer/", {"answer": said})
        elif me["may_propose_split"] and self.chance.random() < 0.5:
            self._ask("POST", "split/", {})
        elif me["legal"]:
            answer = self._move(view, self._choose(me))
            if answer is not None and (answer["me"] or {}).get("drawn"):
                self._move(answer, self._choose(answer["me"]))

    def _choose(self, me: dict[str, Any]) -> str:
        legal = me["legal"]
        if "drop" in legal and self.chance.random() < 0.15:
            return "drop"
        for choice in ("meld", "ds", f"x {me['drawn']}"):
            if choice in legal:
                return choice
        return str(self.chance.choice([move for move in legal if move.startswith("x ")] or legal))

    def _move(self, view: dict[str, Any], text: str) -> dict[str, Any] | None:
        body = {"move_id": str(uuid4()), "move": text}
        if text == "meld":
            body["window_id"] = view["window_id"]
        else:
            body["expected_version"] = view["version"]
        sent_at = time.monotonic()
        status, answer = self._ask("POST", "moves/", body)
        if status == 200:
            self.tally.acknowledge(body["move_id"], sent_at)
            moved: dict[str, Any] = answer
            return moved
        self.tally.note("refused moves")
        return None
