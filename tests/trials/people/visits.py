"""One person at one table: they play, think, drop, lose their connection, and leave."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any
from uuid import UUID, uuid4

from tests.trials.people.crowd import Crowd, Person
from tests.trials.people.listeners import Listener

OVER = ("finished", "cancelled")
DROPS = 0.15
DROPS_IN_A_HURRY = 0.8
LOSES_CONNECTION = 0.02
LEAVES = 0.002


class Visit:
    """A person at a table; at one without an end, such as a points table, they leave in a hurry."""

    def __init__(
        self,
        crowd: Crowd,
        table: UUID,
        person: Person,
        *,
        by_socket: bool,
        is_seated: bool = False,
        has_end: bool = True,
    ) -> None:
        self.crowd, self.table, self.person = crowd, table, person
        self.by_socket, self.is_seated, self.has_end = by_socket, is_seated, has_end
        self.chance = Random(f"{crowd.seed} {table} {person.user.handle}")
        self.listener: Listener | None = None
        self.seen_version = -1

    def play(self) -> Iterator[None]:
        """Play until the game is over or the person leaves; yield after each step."""
        if self.is_seated or self._sit_down():
            try:
                yield from self._play()
            finally:
                self._hang_up()

    def _play(self) -> Iterator[None]:
        unanswered, acts_at = None, 0.0
        while (view := self._newer_view()) is None or view["phase"] not in OVER:
            if view is not None:
                self.seen_version, unanswered = view["version"], view
                self.crowd.hands.look(view)
                acts_at = time.monotonic() + self.crowd.think_seconds * self._vary(0.4, 1.6)
                luck = 1.0 if self.crowd.hurries else self.chance.random()
                if luck < LOSES_CONNECTION:
                    self.crowd.tally.note("lost connections")
                    back_at = time.monotonic() + self._vary(2, 12)
                    while time.monotonic() < back_at:
                        yield
                    self.seen_version, unanswered = -1, None
                elif luck < LOSES_CONNECTION + LEAVES and view["phase"] == "playing":
                    self.crowd.tally.note("left the table")
                    self._ask("DELETE", "seats/mine/")
                    return
            if self.crowd.hurries and not self.has_end:
                self._ask("DELETE", "seats/mine/")
                return
            if unanswered and (self.crowd.hurries or time.monotonic() >= acts_at):
                self._act(unanswered)
                unanswered = None
            yield

    def _vary(self, least: float, most: float) -> float:
        return self.chance.uniform(least, most)

    def _newer_view(self) -> dict[str, Any] | None:
        """Return the table's view, None if it is the one that this person saw last."""
        if self.by_socket:
            if self.listener is None:
                self.listener = self.crowd.listeners.listen(self.table, self.person.cookie)
            return self.listener.newer_than(self.seen_version)
        self.crowd.watched.add(self.table)
        if self.crowd.versions.get(self.table) == self.seen_version:
            return None
        status, view = self._ask("GET", "")
        return view if status == 200 else {"phase": OVER[0]}

    def _hang_up(self) -> None:
        self.crowd.watched.discard(self.table)
        if self.listener is not None:
            self.listener.hang_up()

    def _ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return self.crowd.ask(self.person, method, f"tables/{self.table}/{path}", body)

    def _sit_down(self) -> bool:
        status, answer = self._ask("POST", "seats/", {})
        return status == 201 or answer.get("code") == "already_seated"

    def _act(self, view: dict[str, Any]) -> None:
        asked, me = view["window"], view["me"]
        if me is None:  # They have left, or were not let in.
            return
        if asked and asked["mine"] and asked["mine"]["can_answer"]:
            refuses = self.crowd.hurries or self.chance.random() < 0.2
            answer = {"answer": "no" if refuses else "yes"}
            self._ask("POST", f"windows/{asked['id']}/answer/", answer)
        elif me["may_propose_split"] and self.chance.random() < 0.5:
            self._ask("POST", "split/", {"after_deal": me["split"]["after_deal"]})
        elif me["legal"]:
            after = self._move(view, self._choose(me))
            if after is not None and (after["me"] or {}).get("drawn"):
                self._move(after, self._choose(after["me"]))

    def _choose(self, me: dict[str, Any]) -> str:
        legal = me["legal"]
        drops = DROPS_IN_A_HURRY if self.crowd.hurries else DROPS
        if "drop" in legal and self.chance.random() < drops:
            return "drop"
        for choice in ("meld", "ds", f"x {me['drawn']}"):
            if choice in legal:
                return choice
        return str(self.chance.choice([move for move in legal if move.startswith("x ")] or legal))

    def _move(self, view: dict[str, Any], text: str) -> dict[str, Any] | None:
        """Make a move; return the view after it, None if it was refused."""
        body = {"move_id": str(uuid4()), "move": text}
        if text == "meld":
            body["window_id"] = view["window_id"]
        else:
            body["expected_version"] = view["version"]
        sent_at = time.monotonic()
        status, answer = self._ask("POST", "moves/", body)
        if status != 200:
            self.crowd.tally.note("refused moves")
            return None
        self.crowd.tally.acknowledge(body["move_id"], sent_at)
        after: dict[str, Any] = answer
        return after
