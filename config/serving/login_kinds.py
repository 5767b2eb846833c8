"""Refuse to start a worker whose database login lacks the rights for its queues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection

from config.timetable import KINDS


def kinds_of(queues: Iterable[str]) -> set[str]:
    """Return the kinds of login that these queues need.

    >>> sorted(kinds_of(["bots", "settle"]))
    ['settle', 'web']
    """
    return {KINDS.get(queue, "web") for queue in queues}


def refuse_another_kind(*, sender: str, instance: Any, **_signal: Any) -> None:
    """Raise `ImproperlyConfigured` if the login of DATABASE_URL is of another kind.

    Otherwise a task would fail halfway, and a sweep would repeat it without end. An unreachable or
    empty database is not checked.
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
