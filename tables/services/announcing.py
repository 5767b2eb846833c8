"""Writing a table's new state, and telling everybody who waits for it once it is committed."""

from __future__ import annotations

from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction

from tables import tasks
from tables.hints import send_hint
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


def publish(table: Table, *, nudge_bots: bool = True) -> None:
    """Save the locked table's state; after the commit send the hint and nudge the workers.

    Nothing depends on these messages: a broker that is away must not turn a committed move into an
    error, so they are sent as robust callbacks rather than by `delay_on_commit`.
    """
    table.save(update_fields=STATE_FIELDS)
    after_commit = partial(transaction.on_commit, robust=True)
    after_commit(partial(send_hint, table.public_id, table.version))
    if table.phase == Table.Phase.SETTLING:
        deal = table.deals.only("pk").get(no=table.deal_no)
        after_commit(partial(tasks.settle_deal.delay, deal.pk))
    if nudge_bots and table.bot_due_at is not None and settings.BOT_THINK_SECONDS == 0:
        after_commit(partial(tasks.play_bots.delay, table.pk))
