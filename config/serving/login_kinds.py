"""Refuse to start a worker whose login may not do what its queues ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

from config.timetable import KINDS


def kinds_of(queues: Iterable[str]) -> set[str]:
    """Return the kinds of login that work off these queues.

    >>> sorted(kinds_of(["bots", "settle"]))
    ['settle', 'web']
    """
    return {KINDS.get(queue, "web") for queue in queues}


def refuse_another_kind(*, sender: str, instance: Any, **_signal: Any) -> None:
    """Raise `ImproperlyConfigured` where the login of DATABASE_URL is of another kind.

    A task would fail halfway, and its sweep send it for ever. A database that is away or empty says
    nothing.
    """
    queues = sorted(instance.app.amqp.queues.consume_from)
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT kind FROM unnest(%s::text[]) AS kind WHERE NOT core_is_login_of(kind)",
                [sorted(kinds_of(queues))],
            )
            lacking = [kind for (kind,) in cursor.fetchall()]
    except DatabaseError:
        return
    finally:
        connection.close()
    if lacking:
        raise ImproperlyConfigured(
            f"The worker {sender} of {', '.join(queues)} needs a login in "
            f"{' and '.join(f'rummy_app_{kind}' for kind in lacking)}: set DATABASE_URL to it."
        )
