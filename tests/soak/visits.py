"""One person at one table: they play, think, drop, lose their line, and walk out."""

from __future__ import annotations

import time
from random import Random
from typing import Any
from uuid import UUID, uuid4

from tests.soak.crowd import Crowd, Line, Person
from tests.soak.listeners import Listener

OVER = ("finished", "cancelled")
DROPS = 0.15
DROPS_IN_A_HURRY = 0.8


class Visit:
    """At a table of any game that has an end."""

    def __init__(
        self, crowd: Crowd, table: UUID, person: Person, *, hears_over_socket: bool
    ) -> None:
        self.crowd, self.table, self.person = crowd, table, person
        self.tally, self.away_until, self.is_seated = crowd.tally, 0.0, False
        self.hears_over_socket = hears_over_socket
        self.listener: Listener | None = None
        self.seen_version = -1
        # What is to be answered, and when.
        self.view: dict[str, Any] | None = None
        self.acts_at = 0.0

    def pay(self, line: Line, chance: Random) -> bool:
        """Look at the table and do one thing; False once there is nothing more to come for."""
        if time.monotonic() < self.away_until:
            return True
        if not self.is_seated:
            self.is_seated = self._sit_down(line)
            return self.is_seated
        if (view := self._newer_view(line)) is not None:
            if self._is_over(view):
                self._hang_up()
                return False
            self.seen_version = view["version"]
            self.crowd.hands.look(view)
            return self._see(line, view, chance)
        if self.view is not None and (self.crowd.hurries or time.monotonic() >= self.acts_at):
            view, self.view = self.view, None
            self._act(line, view, chance)
        return True

    def _is_over(self, view: dict[str, Any]) -> bool:
        return view["phase"] in OVER

    def _see(self, line: Line, view: dict[str, Any], chance: Random) -> bool:
        what, self.view = chance.random(), view
        self.acts_at = time.monotonic() + self.crowd.think_seconds * chance.uniform(0.4, 1.6)
        if self.crowd.hurries:
            return True
        if what < 0.02:
            self.tally.note("lost lines")
            self.away_until = time.monotonic() + chance.uniform(2, 12)
            self.seen_version, self.view = -1, None
        elif what < 0.022 and view["phase"] == "playing":
            self._ask(line, "DELETE", "seats/mine/")
            self.tally.note("walked out")
            self._hang_up()
            return False
        return True

    def _newer_view(self, line: Line) -> dict[str, Any] | None:
        """Return the table as it is, None if it is as this person saw it last."""
        if self.hears_over_socket:
            if self.listener is None:
                self.listener = self.crowd.listeners.listen(self.table, self.person.cookie)
            return self.listener.newer_than(self.seen_version)
        self.crowd.watched.add(self.table)
        if self.crowd.versions.get(self.table) == self.seen_version:
            return None
        status, view = self._ask(line, "GET", "")
        return view if status == 200 else {"phase": OVER[0]}

    def _hang_up(self) -> None:
        self.crowd.watched.discard(self.table)
        if self.listener is not None:
            self.listener.hang_up()

    def _ask(self, line: Line, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return line.ask(self.person, method, f"tables/{self.table}/{path}", body)

    def _sit_down(self, line: Line) -> bool:
        status, answer = self._ask(line, "POST", "seats/", {})
        return status == 201 or answer.get("code") == "already_seated"

    def _act(self, line: Line, view: dict[str, Any], chance: Random) -> None:
        asked, me = view["window"], view["me"]
        if me is None:  # They have left, or were never let in.
            return
        if asked and asked["mine"] and asked["mine"]["can_answer"]:
            is_refused = self.crowd.hurries or chance.random() < 0.2
            said = {"answer": "no" if is_refused else "yes"}
            self._ask(line, "POST", f"windows/{asked['id']}/answer/", said)
        elif me["may_propose_split"] and chance.random() < 0.5:
            self._ask(line, "POST", "split/", {})
        elif me["legal"]:
            answer = self._move(line, view, self._choose(me, chance))
            if answer is not None and (answer["me"] or {}).get("drawn"):
                self._move(line, answer, self._choose(answer["me"], chance))

    def _choose(self, me: dict[str, Any], chance: Random) -> str:
        legal = me["legal"]
        drops = DROPS_IN_A_HURRY if self.crowd.hurries else DROPS
        if "drop" in legal and chance.random() < drops:
            return "drop"
        for choice in ("meld", "ds", f"x {me['drawn']}"):
            if choice in legal:
                return choice
        return str(chance.choice([move for move in legal if move.startswith("x ")] or legal))

    def _move(self, line: Line, view: dict[str, Any], text: str) -> dict[str, Any] | None:
        body = {"move_id": str(uuid4()), "move": text}
        if text == "meld":
            body["window_id"] = view["window_id"]
        else:
            body["expected_version"] = view["version"]
        sent_at = time.monotonic()
        status, answer = self._ask(line, "POST", "moves/", body)
        if status == 200:
            self.tally.acknowledge(body["move_id"], sent_at)
            moved: dict[str, Any] = answer
            return moved
        self.tally.note("refused moves")
        return None


class PointsVisit(Visit):
    """At a points table, which has no end: whoever hurries takes their stack and goes."""

    def pay(self, line: Line, chance: Random) -> bool:
        if self.crowd.hurries and self.is_seated:
            self._ask(line, "DELETE", "seats/mine/")
            self._hang_up()
            return False
        return super().pay(line, chance)
