"""Run functions in several threads at once, each with its own database connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from threading import Barrier
from typing import Any

from django.db import connections, transaction

from tests.builders.processes.waiting import something_waits, until

THREADS = 64
_kept: list[ThreadPoolExecutor] = []


def at_once(calls: Iterable[Callable[[], Any]]) -> list[Any]:
    """Start all calls together; return their results, an exception standing for its call."""
    calls = list(calls)
    start = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait(10)
        try:
            return Context().run(call)  # With nothing a call before it has left.
        except Exception as error:
            return error
        finally:
            if not _kept or not _are_as_new():
                connections.close_all()

    if _kept:
        return list(_kept[0].map(run, calls))
    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@contextmanager
def waiting(call: Callable[[], Any]) -> Iterator[None]:
    """Run the block in a transaction; a call after it in another session must wait for its end."""

    def run() -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            yield
            called = pool.submit(run)
            until(lambda: called.done() or something_waits())
            assert not called.done(), f"the call did not wait: {called.result()}"
        called.result(timeout=30)


@contextmanager
def kept_threads() -> Iterator[None]:
    """Keep threads and their connections for the next calls: a new server process plans again."""
    pool = ThreadPoolExecutor(THREADS)
    _kept.append(pool)
    try:
        yield
    finally:
        _kept.remove(pool)
        close_all(pool)
        pool.shutdown()


def close_all(pool: ThreadPoolExecutor) -> None:
    """Let each thread close its own connections: all of them wait for each other."""
    started = len(pool._threads)
    if started == 0:
        return
    everybody = Barrier(started)
    list(pool.map(lambda _: (everybody.wait(10), connections.close_all()), range(started)))


def _are_as_new() -> bool:
    return not any(
        one.in_atomic_block or one.errors_occurred or one.run_on_commit
        for one in connections.all(initialized_only=True)
    )
