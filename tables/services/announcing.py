"""Writing a table's new state, and telling everybody who waits for it once it is committed."""

from __future__ import annotations

from functools import partial
from typing import Final
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction

from tables import tasks
from tables.models import Table

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
)


def group_of(public_id: UUID) -> str:
    """Return the channel group of everybody who looks at this table."""
    return f"table.{public_id.hex}"


def publish(table: Table, *, nudge_bots: bool = True) -> None:
    """Save the locked table's state; after the commit send the hint and nudge the workers.

    Nothing depends on these messages: a broker that is away must not turn a committed move into an
    error, so they are sent as robust callbacks rather than by `delay_on_commit`.
    """
    table.save(update_fields=STATE_FIELDS)
    after_commit = partial(transaction.on_commit, robust=True)
    after_commit(partial(_hint, table.public_id, table.version))
    if table.phase == Table.Phase.SETTLING:
        deal = table.deals.only("pk").get(no=table.deal_no)
        after_commit(partial(tasks.settle_deal.delay, deal.pk))
    if nudge_bots and table.bot_due_at is not None and settings.BOT_THINK_SECONDS == 0:
        after_commit(partial(tasks.play_bots.delay, table.pk))


def _hint(public_id: UUID, version: int) -> None:
    message = {"type": "table.changed", "table": str(public_id), "version": version}
    layer = get_channel_layer()
    if layer is not None:
        async_to_sync(layer.group_send)(group_of(public_id), message)
