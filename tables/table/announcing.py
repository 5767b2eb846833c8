"""Writing a table's new state, and broadcasting it once it is committed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from core.db.statements import Statement
from core.tasks import enqueue_on_commit
from tables.table.changes import broadcast_change
from tables.table.locks import LockedTable
from tables.table.models import Table

# What a step of the game may change in the table's row; the rest is fixed when it opens.
STATE_FIELDS: Final = (
    "phase",
    "version",
    "due_at",
    "armed_at",
    "bot_due_at",
    "window_id",
    "deal_no",
    "starters",
    "started_at",
    "finished_at",
    "ending",
)
SAVE: Final = (
    f"UPDATE tables_table SET {', '.join(f'{name} = %s' for name in STATE_FIELDS)}"  # noqa: S608
    " WHERE id = %s RETURNING id"
)
_SAVE: Final = Statement(SAVE)


def publish(table: LockedTable) -> None:
    """Save a table's state, and announce it."""
    saved = _SAVE.rows(*state_of(table))
    assert saved, "a locked table is there"
    announce(table)


def state_of(table: Table) -> list[Any]:
    """Return the values `SAVE` takes."""
    return [*(getattr(table, name) for name in STATE_FIELDS), table.pk]


def announce(table: LockedTable, *, enqueue_bots: bool = True) -> None:
    """Broadcast the change and enqueue the tasks it calls for, once it is committed.

    Nothing depends on these messages: a broker that is away must not turn a committed move into an
    error, so they are sent as robust callbacks rather than by `delay_on_commit`.
    """
    public_id, version = table.public_id, table.version
    _after_commit(lambda: broadcast_change(public_id, version))
    if table.phase == Table.Phase.SETTLING:
        deal = table.deals.only("pk").get(no=table.deal_no)
        enqueue_on_commit("tables.settle_deal", deal.pk)
    if enqueue_bots and table.bot_due_at is not None and settings.BOT_THINK_SECONDS == 0:
        enqueue_on_commit("tables.play_bots", table.pk)


def _after_commit(send: Callable[[], object]) -> None:
    # Django logs a robust callback's failure by its qualified name, which a partial has not.
    transaction.on_commit(send, robust=True)
