"""Schedule tasks by their names, so that nobody imports the task they schedule."""

from __future__ import annotations

from typing import Any

from celery import current_app
from django.db import transaction


def enqueue(name: str, *args: Any, expires: float | None = None) -> None:
    """Send a task to its queue now; raise what the broker raises where it is away."""
    signature = current_app.signature(name, args=args)
    signature.apply_async(expires=expires)  # type: ignore[arg-type]  # None is its default.


def enqueue_on_commit(name: str, *args: Any) -> None:
    """Send a task once the transaction is committed; a broker that is away undoes nothing.

    The row says what is due: a periodic task finds what a lost message left.
    """

    # Django logs a robust callback's failure by its qualified name, which a partial has not.
    def send() -> None:
        enqueue(name, *args)

    transaction.on_commit(send, robust=True)
