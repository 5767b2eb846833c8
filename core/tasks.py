"""Enqueue tasks by name, so that callers need not import them."""

from __future__ import annotations

from typing import Any

from celery import current_app
from django.db import transaction


def enqueue(name: str, *args: Any, expires: float | None = None) -> None:
    """Send a task to its queue now; raise the broker's error if it is unavailable."""
    signature = current_app.signature(name, args=args)
    signature.apply_async(expires=expires)  # type: ignore[arg-type]  # None is its default.


def enqueue_on_commit(name: str, *args: Any) -> None:
    """Send a task after the commit; ignore an unavailable broker.

    Pending work is stored in rows: a periodic task finds work whose message was lost.
    """

    # Not a partial: Django logs a failed callback by its qualified name.
    def send() -> None:
        enqueue(name, *args)

    transaction.on_commit(send, robust=True)
