"""Runs the same thing in several threads at once, each on a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connections


def at_once(calls: Iterable[Callable[[], Any]]) -> list[Any]:
    """Start all calls together; return their results, an exception standing for its call."""
    calls = list(calls)
    start = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait(10)
        try:
            return call()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
