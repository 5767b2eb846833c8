"""What may go wrong between processes, chosen by one generator of random numbers.

Messages to workers are lost, late, delivered twice or in another order; the broker restarts with an
empty queue; a connection ends before a commit, or after it and before the answer, and the client
repeats its request; the clock jumps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from celery import current_app
from celery.canvas import Signature
from django.db import OperationalError, connection

from config.timetable import TIMETABLE
from core.exceptions import Refusal
from devtools.sample_data import games
from devtools.sample_data.fake_clock import FakeClock
from tables.play import answering
from tables.seats import seating
from tables.settlement import scoring
from tables.state import clock
from tournaments.lobby import registration
from wallet.audit import seals
from wallet.withdrawals import withdrawals

# Probabilities: of a message to be lost or kept, of a request to lose its connection, and of the
# rest each time the clock advances.
LOST, TWICE, BROKEN = 0.03, 0.05, 0.02
DELIVERED, SWEPT, RESTARTED, DISCONNECTED, JUMPED = 0.4, 0.03, 0.0005, 0.002, 0.001
JUMPS_MAX: Final = 900.0
# A tournament nobody swept passes from draft by announcement and registration to its start.
STEPS_MAX: Final = 4
STEPPED: Final = ("tables.sweep_clock", "tournaments.sweep_tournaments")
# Tasks that talk to the outside world, or end sessions of the database.
LEFT_OUT: Final = (
    "wallet.end_stuck_sessions",
    "wallet.send_seal_heads",
    "players.push_notifications",
    "players.mail_notifications",
    "players.ask_identity_providers",
    "finance.sweep_webhooks",
    "finance.deliver_webhooks",
    "finance.mail_export",
    "tables.find_collusion",
)
PERIODIC: Final = sorted({entry["task"] for entry in TIMETABLE.values()} - {*LEFT_OUT})
# They expect the ledger to be sealed every few seconds, and stop withdrawals where it is not.
AUDITS: Final = ("wallet.check_books", "wallet.check_new_rows")
# Requests that a client repeats until they are answered, each of them idempotent.
REPEATED: Final[tuple[tuple[Any, str], ...]] = (
    (games, "make_move"),
    (seating, "join"),
    (seating, "leave"),
    (answering, "answer"),
    (answering, "propose_split"),
    (scoring, "settle_deal"),
    (scoring, "settle_table"),
    (clock, "apply_overdue"),
    (registration, "register"),
    (withdrawals, "approve"),
    (withdrawals, "reject"),
    (withdrawals, "mark_paid"),
    (withdrawals, "mark_failed"),
)


class ConnectionLost(OperationalError):
    """The connection ended; whether the request was committed is not known."""


class Message(NamedTuple):
    task: str
    arguments: tuple[Any, ...]
    expires_at: datetime | None


class Network:
    """The broker, the workers and the connections of the simulated installation."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.messages: list[Message] = []
        self.counts: Counter[str] = Counter()
        self._ends_at_commit: str = ""
        self._is_busy = False
        # Whether the clock moves although no process has run meanwhile.
        self.is_jumping = False
        self._commit: Callable[[], None] = connection.commit
        self._clock: FakeClock | None = None

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let all messages, commits and repeated requests of this process pass through here."""
        with ExitStack() as patches:
            enter = patches.enter_context
            sent = lambda signature, *_, **options: self.send(signature, **options)  # noqa: E731
            enter(patch.object(Signature, "apply_async", sent))
            enter(patch.object(connection, "commit", self._commit_or_end))
            for module, name in REPEATED:
                enter(patch.object(module, name, self._repeated(name, getattr(module, name))))
            think, move_to = FakeClock.think, FakeClock.move_to

            def think_and_work(site_clock: FakeClock, seconds: float) -> None:
                think(site_clock, seconds)
                self.work(site_clock)

            def move_and_work(site_clock: FakeClock, moment: datetime) -> None:
                move_to(site_clock, moment)
                self.work(site_clock)

            enter(patch.object(FakeClock, "think", think_and_work))
            enter(patch.object(FakeClock, "move_to", move_and_work))
            yield

    def send(self, signature: Any, **options: Any) -> None:
        """Take a message for a worker."""
        if signature.task in LEFT_OUT:
            return
        expires, now = options.get("expires"), self._clock.now if self._clock else None
        expires_at = now + timedelta(seconds=expires) if expires and now else None
        self.messages.append(Message(signature.task, tuple(signature.args), expires_at))

    def work(self, site_clock: FakeClock) -> None:
        """Let happen what may happen while time passes."""
        self._clock = site_clock
        if self._is_busy or connection.in_atomic_block:
            return
        self._is_busy = True
        try:
            if self._happens(JUMPED):
                self.counts["clock jumps"] += 1
                site_clock.now += timedelta(seconds=self.chance.uniform(1, JUMPS_MAX))
                self.is_jumping = True
                site_clock.agree()
                self.is_jumping = False
                self._run(Message("tables.sweep_clock", (), None))
            if self._happens(RESTARTED):
                self.counts["broker restarts"] += 1
                self.messages.clear()
            if self._happens(DISCONNECTED):
                self.counts["web restarts"] += 1
                connection.close()
            if self.messages and self._happens(DELIVERED):
                self._deliver()
            if self._happens(SWEPT):
                self._run(Message(self.chance.choice(PERIODIC), (), None))
        finally:
            self._is_busy = False

    def calm(self) -> None:
        """Deliver what is left in any order, and run each periodic task, without faults.

        Tasks that take a table or tournament one step further are run several times. The audits
        are left to the night, which runs one of them.
        """
        self._is_busy, chance = True, self.chance
        try:
            for step in range(STEPS_MAX):
                tasks = STEPPED if step else PERIODIC
                for task in chance.sample(tasks, len(tasks)):
                    if task not in AUDITS:
                        self._run(Message(task, (), None))
                while self.messages:
                    self._run(self.messages.pop(chance.randrange(len(self.messages))))
        finally:
            self._is_busy = False

    def _deliver(self) -> None:
        """Deliver a message, not always the oldest; it may be lost, or delivered twice."""
        number = self.chance.randrange(len(self.messages))
        message = self.messages[number]
        if not self._happens(TWICE):
            del self.messages[number]
        else:
            self.counts["messages twice"] += 1
        if self._happens(LOST):
            self.counts["messages lost"] += 1
            return
        self._run(message)

    def _run(self, message: Message) -> None:
        assert self._clock is not None
        if message.expires_at is not None and message.expires_at < self._clock.now:
            self.counts["messages expired"] += 1
            return
        self.counts["tasks"] += 1
        if message.task in AUDITS:
            seals.seal_ledger()
        try:
            current_app.tasks[message.task].run(*message.arguments)
        except ConnectionLost:  # Not confirmed: the broker delivers it again.
            self.messages.append(message)
        except Refusal as refusal:
            self.counts[f"{message.task} refused: {refusal.code}"] += 1

    def _happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    def _commit_or_end(self) -> None:
        ends, self._ends_at_commit = self._ends_at_commit, ""
        if ends == "before":
            raise ConnectionLost("before the commit")
        self._commit()
        if ends:
            raise ConnectionLost("after the commit, before the answer")

    def _repeated(self, name: str, request: Callable[..., Any]) -> Callable[..., Any]:
        def send(*args: Any, **kwargs: Any) -> Any:
            if connection.in_atomic_block or not self._happens(BROKEN):
                return request(*args, **kwargs)
            ends = self._ends_at_commit = "before" if self._happens(0.5) else "after"
            try:
                return request(*args, **kwargs)
            except ConnectionLost:
                self.counts[f"{name} repeated"] += 1
            finally:
                self._ends_at_commit = ""
            try:
                return request(*args, **kwargs)
            except Refusal:
                if ends == "before" or name == "make_move":
                    raise  # A move has an id: repeated, it returns what the first one did.
                self.counts[f"{name} was done"] += 1
                return None

        return send
