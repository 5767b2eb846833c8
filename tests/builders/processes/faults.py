"""Steps that die at each of their points in turn, and are taken again until they are done."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from django.db import OperationalError, connections

from tables.integrity.collusion.models import Finding, FindingDecision, VoidedPrize
from tables.models.deals import Deal, Move
from tables.models.seats import Score
from tables.models.tables import Table
from wallet.bonuses.models import BonusRequest
from wallet.cashier.models import IdempotentRequest
from wallet.corrections.models import Adjustment, Restitution
from wallet.deposits.models import Deposit, GatewayEvent, StaffTask
from wallet.ledger.models import Account, Entry, Transfer
from wallet.stakes.models import Stake
from wallet.withdrawals.models import PayoutBatch, Withdrawal

# Statements that write: plain SQL, and calls of the ledger's functions.
WRITES = re.compile(
    r"\s*(INSERT|UPDATE|DELETE|WITH)\b|.*\bledger_\w+\s*\(", re.IGNORECASE | re.DOTALL
)
STEPS_AT_MOST = 2_000
# Models whose rows change status; those of COUNTED are only inserted.
WITH_STATES = (
    Stake,
    Account,
    Deposit,
    Withdrawal,
    Adjustment,
    BonusRequest,
    IdempotentRequest,
    Restitution,
    Finding,
    FindingDecision,
)
COUNTED = (Move, Score, Deal, Transfer, Entry, GatewayEvent, StaffTask, PayoutBatch, VoidedPrize)


class Died(OperationalError):
    """The process, or its connection, ends here."""


class Death:
    """Counts the points of a step and dies at one: before a write, before a commit, or after it.

    After a commit the caller gets no answer, and nothing that waited for the commit is done.
    """

    def __init__(self, at: int, commit: Callable[[], None]) -> None:
        self.at, self._commit = at, commit
        self.points = self.commits = 0
        self._has_written = self._is_committed = False

    def execute(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if WRITES.match(str(sql)):
            self._pass_point()
            self._has_written = True
        elif sql == "COMMIT":  # It goes with the last statements, on one trip.
            self._pass_point()
            self._is_committed = True
        return execute(sql, params, many, context)

    def commit(self) -> None:
        if not self._has_written:
            self._commit()
            return
        if not self._is_committed:
            self._pass_point()
        self._commit()
        self._has_written = self._is_committed = False
        self.commits += 1
        self._pass_point()

    def _pass_point(self) -> None:
        self.points += 1
        if self.points == self.at:
            raise Died(f"at point {self.at}")


@contextmanager
def dying(at: int) -> Iterator[Death]:
    connection = connections["default"]
    death = Death(at, connection.commit)
    connection.commit = death.commit  # type: ignore[method-assign]
    try:
        with connection.execute_wrapper(death.execute):
            yield death
    finally:
        del connection.commit


class Faults:
    """Takes steps that die at every point; of each kind only the first few, if so asked."""

    def __init__(self, *, steps_of_a_kind: int | None = None) -> None:
        self.steps_of_a_kind = steps_of_a_kind
        self.steps: Counter[str] = Counter()
        self.deaths: Counter[str] = Counter()
        self._is_inside = False

    def take(self, kind: str, step: Callable[[], Any]) -> Any:
        """Take the step again after each death; one that died before its commit left no trace."""
        if self._is_inside:  # A step within a step dies with it.
            return step()
        self.steps[kind] += 1
        if self.steps_of_a_kind is not None and self.steps[kind] > self.steps_of_a_kind:
            return step()
        self._is_inside = True
        try:
            return self._until_done(kind, step)
        finally:
            self._is_inside = False

    def _until_done(self, kind: str, step: Callable[[], Any]) -> Any:
        at = 1
        for _ in range(STEPS_AT_MOST):
            before = everything_written()
            try:
                with dying(at) as death:
                    result = step()
            except Died:
                self.deaths[kind] += 1
                if everything_written() == before:
                    at += 1
                    continue
                assert death.commits, f"{kind} left a trace at point {at}"
                at = 1  # What is left of it begins anew.
            else:
                assert death.points < at, f"{kind} went on after its death at point {at}"
                return result
        raise AssertionError(f"{kind} is never done")


def everything_written() -> list[Any]:
    """Return the values that tell whether a step has changed anything."""
    tables = Table.objects.order_by("pk").values_list("pk", "phase", "version", "due_at")
    states = [model.objects.order_by("pk").values_list("pk", "status") for model in WITH_STATES]
    rows = [model.objects.count() for model in COUNTED]
    return [*tables, *chain.from_iterable(states), *rows]
