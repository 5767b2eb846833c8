"""What several tests of one file start from, built once in a transaction around all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import datetime
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

BUILDERS: dict[tuple[str, str], Callable[[], Any]] = {}
OF_ALL_TABLES = "tests.tables.conftest"


def shared(build: Callable[[], Any]) -> Any:
    """Make a fixture of a builder whose rows are written once for all tests that ask for it.

    Each test works in a savepoint and gets its own copy of what the builder returned: a table, a
    deal or a dictionary of tables, whose clocks show as much time as when they were built. It sees
    no rows of another builder. A test that commits cannot ask for it.
    """
    BUILDERS[build.__module__, build.__name__] = build

    @pytest.fixture(name=build.__name__)
    def own_copy(request: pytest.FixtureRequest, db: None, _shared_rows: Any) -> Any:
        marker = request.node.get_closest_marker("django_db")
        assert not marker.kwargs.get("transaction"), "a test that commits builds its own rows"
        # Another test may have ended this deal differently, in a savepoint that was rolled back.
        import_module("tables.state.fold").memo._deals.clear()
        rows, built_at = _shared_rows
        return _with_time_left(deepcopy(rows), since=built_at)

    return own_copy


def builder_of(module: str, name: str) -> Callable[[], Any] | None:
    """Return what builds a fixture: a function of the test's own file, or of the tables' tests."""
    return BUILDERS.get((module, name)) or BUILDERS.get((OF_ALL_TABLES, name))


def _with_time_left(rows: Any, *, since: datetime) -> Any:
    """Move every table's clock on by the time that has passed; return rows that know of it."""
    from tables.models.tables import Table

    passed = timezone.now() - since
    Table.objects.filter(due_at__isnull=False).update(
        due_at=F("due_at") + passed, armed_at=F("armed_at") + passed
    )
    for row in rows.values() if isinstance(rows, dict) else [rows]:
        if isinstance(row, Table):
            row.refresh_from_db(fields=["due_at", "armed_at"])
    return rows


@contextmanager
def built(module: str, name: str) -> Iterator[tuple[Any, datetime]]:
    """Build in a transaction that is held open, dealing the same cards in every run.

    Give what was built, and when.
    """
    drawn, build = count(1), builder_of(module, name)
    assert build is not None, f"nothing builds {name}"

    def urandom(size: int) -> bytes:
        return hashlib.shake_256(f"{module} {name} {next(drawn)}".encode()).digest(size)

    block = transaction.atomic()
    block._from_testcase = True  # Durable blocks may begin inside, as in Django's own tests.
    with block:
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("tables.history.fairness.seeds.os", SimpleNamespace(urandom=urandom))
                rows = build()
            connection.check_constraints()
            yield rows, timezone.now()
        finally:
            transaction.set_rollback(True)
