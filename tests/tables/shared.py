"""What several tests of one file start from, built once in a transaction around all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, transaction

BUILDERS: dict[tuple[str, str], Callable[[], Any]] = {}


def shared(build: Callable[[], Any]) -> Any:
    """Make a fixture of a builder whose rows are written once for all tests that ask for it.

    Each test works in a savepoint and gets its own copy of what the builder returned. It sees no
    rows of another builder. A test that commits cannot ask for it.
    """
    BUILDERS[build.__module__, build.__name__] = build

    @pytest.fixture(name=build.__name__)
    def own_copy(request: pytest.FixtureRequest, _shared_rows: Any) -> Any:
        marker = request.node.get_closest_marker("django_db")
        assert not marker.kwargs.get("transaction"), "a test that commits builds its own rows"
        # Another test may have given this deal an end of its own, which went with its savepoint.
        import_module("tables.state").memo._deals.clear()
        return deepcopy(_shared_rows)

    return own_copy


@contextmanager
def built(module: str, name: str) -> Iterator[Any]:
    """Build in a transaction that is held open, dealing the same cards in every run."""
    drawn = count(1)

    def urandom(size: int) -> bytes:
        return hashlib.shake_256(f"{module} {name} {next(drawn)}".encode()).digest(size)

    block = transaction.atomic()
    block._from_testcase = True  # Durable blocks may begin inside, as in Django's own tests.
    with block:
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("tables.services.seeds.os", SimpleNamespace(urandom=urandom))
                rows = BUILDERS[module, name]()
            connection.check_constraints()
            yield rows
        finally:
            transaction.set_rollback(True)
