"""The rows that a computing audit checks, in batches, and rows that cannot be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, Final, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import QuerySet

from core.db.schema import sql_of
from wallet.audit.audit import Finding
from wallet.audit.models import AuditRun, Seal
from wallet.audit.starts import SET, Start

# A short audit checks what was written since the last run began, and a little before.
OVERLAP: Final = timedelta(minutes=1)
# How many times the audit reads a game that is played meanwhile.
READINGS: Final = 5
Item = TypeVar("Item")
What = TypeVar("What")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield the items in lists of this size; the last one may be shorter.

    >>> list(batched("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def keys_since(start: Start, rows: QuerySet[Any], question: str) -> Iterator[int]:
    """Yield the keys of all rows in order, or in a short audit of those a statement finds new."""
    if not start.is_beginning:
        yield from _new_keys(question, start)
        return
    last = 0
    while found := list(
        rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:5000]
    ):
        yield from found
        last = found[-1]


def _new_keys(question: str, start: Start) -> list[int]:
    """Return the keys found by a statement, of rows written since the last clean run began."""
    named = start.settings() | {"wallet.audit_xid": str(_first_new_xid(start))}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(SET, [list(named), list(named.values())])
        cursor.execute(sql_of(question))
        return [key for (key,) in cursor.fetchall()]


def _first_new_xid(start: Start) -> int:
    """Return the first database transaction that counts as new since the last clean run began.

    Other short audits check all rows since the last full one; replaying the same deals every
    quarter of an hour would take longer each time.
    """
    run = AuditRun.objects.filter(differences=0, pk__gte=start.run).first()
    if run is None:
        return start.to_xid
    began = run.ran_at - timedelta(seconds=run.seconds) - OVERLAP
    seal = Seal.objects.filter(sealed_at__lt=began).latest_first().first()
    return max(start.to_xid, seal.to_xid if seal else 0)


def read_whole(
    rows: QuerySet[Any],
    keys: Sequence[int],
    *,
    read: Callable[[list[Any]], Iterable[What]],
    row_of: Callable[[What], Any],
) -> Iterator[What]:
    """Yield games, each as of one moment, even if they are played while they are read.

    `read` returns rows with all that belongs to them, and `row_of` the row of each. What changed
    meanwhile is read again; after `READINGS` it is left to the next audit.
    """
    changed = list(keys)
    for _ in range(READINGS):
        found = list(read(list(rows.filter(pk__in=changed).order_by("pk"))))
        versions = dict(
            rows.model._default_manager.filter(pk__in=changed).values_list("pk", "version")
        )
        changed = []
        for what in found:
            row = row_of(what)
            if row.is_over or versions[row.pk] == row.version:
                yield what
            else:
                changed.append(row.pk)
        if not changed:
            return


def unless_it_fails(
    subject: str, compare: Callable[[What], Iterator[Finding]], what: What
) -> Iterator[Finding]:
    """Yield differences; a failure on invalid rows is one, and others are still checked."""
    try:
        yield from compare(what)
    except (InterfaceError, OperationalError):  # The connection failed, not the rows.
        raise
    # Not narrowed: an altered row could otherwise be chosen so that it ends the audit before it
    # reads the others. A fault of the program is reported here too, as a difference.
    except Exception as error:
        yield Finding("play_unreadable", subject, f"{type(error).__name__}: {error}")
