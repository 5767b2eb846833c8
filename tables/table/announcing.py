"""Writing a table's new state, and broadcasting it once it is committed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.db import transaction

from core.db.statements import Query, Statement, execute_pipeline
from core.tasks import enqueue_on_commit
from tables.table.changes import broadcast_change
from tables.table.locks import LockedTable
from tables.table.models import Table

# Fixed when a table opens, or written by other statements. Every other field is saved with each
# step, so that none can be forgotten.
UNSAVED: Final = frozenset(
    {
        *("id", "public_id", "template", "profile", "name", "created_at", "owner_ref", "opened_by"),
        *("stake_mode", "currency", "entry_minor", "point_value_minor", "rake_bps", "invite_code"),
        *("seats_min", "seats_max", "bots_fill", "bot_strength", "stop_at_survivors"),
        *("escrow_account", "rejoin_account", "rejoins_open", "is_last_deal"),
    }
)
_SAVED: Final = tuple(
    field.attname for field in Table._meta.concrete_fields if field.name not in UNSAVED
)
_SAVE: Final = Statement(
    f"UPDATE tables_table SET {', '.join(f'{name} = %s' for name in _SAVED)}"  # noqa: S608
    " WHERE id = %s RETURNING id"
)


def saving(table: LockedTable) -> Query:
    """Return the statement that saves a table, which may go with others of its step."""
    return _SAVE, (*(getattr(table, name) for name in _SAVED), table.pk)


def publish(table: LockedTable) -> None:
    """Save a table's state, and announce it."""
    execute_pipeline(saving(table))
    announce(table)


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
