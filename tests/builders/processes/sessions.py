"""Database sessions that hang in a transaction while a test does something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

from django.db import connections, transaction


@contextmanager
def hanging(act: Callable[[], Any]) -> Iterator[Future[Any]]:
    """Do something in another session's transaction, which then hangs until the block is left."""
    done, leave = Event(), Event()

    def hang() -> Any:
        try:
            with transaction.atomic():
                first = act()
                done.set()
                assert leave.wait(30)
                return first
        finally:
            done.set()
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        session = pool.submit(hang)
        assert done.wait(30)
        try:
            yield session
        finally:
            leave.set()
