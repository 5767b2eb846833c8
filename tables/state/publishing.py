"""Save a table's new state, and broadcast it once it is committed.

Sending through the channel layer, which is asyncio only, would cost a move a fifth of its time.
Instead one thread per process sends the collected messages, at most a hundred times a second.
"""

from __future__ import annotations

import asyncio
import os
import time
from operator import attrgetter
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final
from uuid import UUID

import structlog
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction

from core import tracing
from core.db.statements import Query, Statement, execute_pipeline
from core.tasks import enqueue_on_commit
from tables.models.tables import Table
from tables.state.locks import LockedTable

log = structlog.get_logger(__name__)

# A table, and the message for its subscribers: a new version, or a player's phrase.
Change = tuple[UUID, dict[str, Any]]
# A client that missed a message fetches the whole table, so older messages are dropped.
WAITING_MAX: Final = 10_000
TIMEOUT_SECONDS: Final = 5.0
# Between two messages to Redis: at hundreds of moves a second one message each would cost a tenth
# of a move. A change after a quiet moment is sent at once.
PAUSE_SECONDS: Final = 0.01
# Fixed when a table opens, or saved by other statements. Every other field is saved with each
# step, so that none can be forgotten.
UNSAVED: Final = frozenset(
    {
        "id",
        "public_id",
        "template",
        "profile",
        "name",
        "created_at",
        "owner_ref",
        "owner_prize_minor",
        "opened_by",
        "rematch_of",
        "stake_mode",
        "currency",
        "entry_minor",
        "point_value_minor",
        "rake_bps",
        "invite_code",
        "seats_min",
        "seats_max",
        "bots_fill",
        "bot_strength",
        "stop_at_survivors",
        "escrow_account",
        "rejoin_account",
        "rejoins_open",
        "is_last_deal",
    }
)
_SAVED: Final = tuple(
    field.attname for field in Table._meta.concrete_fields if field.name not in UNSAVED
)
_SAVE: Final = Statement(
    f"UPDATE tables_table SET {', '.join(f'{name} = %s' for name in _SAVED)}"  # noqa: S608
    " WHERE id = %s RETURNING id"
)
_saved_values: Final = attrgetter(*_SAVED, "pk")


def saving(table: LockedTable) -> Query:
    """Return the statement that saves a table, to be sent with others of the same step."""
    return _SAVE, _saved_values(table)


def publish(table: LockedTable) -> None:
    """Save a table's state and announce it."""
    execute_pipeline(saving(table))
    announce(table)


def announce(table: LockedTable, *, enqueue_bots: bool = True) -> None:
    """Broadcast the change and enqueue the tasks that follow, once it is committed.

    An unreachable broker must not turn a committed move into an error, so messages are sent by
    robust callbacks rather than by `delay_on_commit`; the sweep makes up for lost ones.
    """
    public_id, version = table.public_id, table.version
    # Django logs a robust callback's failure by its qualified name, which a partial lacks.
    transaction.on_commit(lambda: broadcast_change(public_id, version), robust=True)
    if table.settlement_due:
        enqueue_on_commit("tables.settle_table", table.pk)
    elif table.phase == Table.Phase.SETTLING:
        deal = table.deals.only("pk", "table").get(no=table.deal_no)
        enqueue_on_commit("tables.settle_deal", deal.pk)
    if enqueue_bots and table.bot_due_at is not None and settings.BOT_THINK_SECONDS == 0:
        enqueue_on_commit("tables.play_bots", table.pk)


def group_name(public_id: UUID) -> str:
    """Return the channel group of the table's subscribers."""
    return f"table.{public_id.hex}"


def broadcast_change(public_id: UUID, version: int) -> None:
    """Send a table's new version to its subscribers; delivery is not guaranteed."""
    with tracing.span("hint", table=str(public_id), version=version):
        _sender.put((public_id, tracing.with_trace({"version": version})))


def broadcast_phrase(public_id: UUID, said: dict[str, str], *, muted_for: list[int]) -> None:
    """Send a player's phrase to the table's subscribers, except the sockets of these players.

    Delivery is not guaranteed.
    """
    _sender.put((public_id, {"said": said, "muted_for": muted_for}))


class _Sender:
    """A daemon thread with an event loop, started on first use in each process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pid = 0
        self._waiting: SimpleQueue[Change] = SimpleQueue()

    def put(self, change: Change) -> None:
        if self._pid != os.getpid():
            self._start()
        if self._waiting.qsize() < WAITING_MAX:
            self._waiting.put(change)

    def _start(self) -> None:
        with self._lock:
            # A forked worker inherits this object but not the thread.
            if self._pid == os.getpid():
                return
            self._waiting = SimpleQueue()
            Thread(target=self._publish, name="table-changes", daemon=True).start()
            self._pid = os.getpid()

    def _publish(self) -> None:
        waiting, loop = self._waiting, asyncio.new_event_loop()
        while True:
            changes = [waiting.get()]
            while not waiting.empty():
                changes.append(waiting.get())
            loop.run_until_complete(_publish_all(changes))
            time.sleep(PAUSE_SECONDS)


async def _publish_all(changes: list[Change]) -> None:
    """Send messages; those for a server that is down or hangs are lost, the others are not."""
    layer: Any = get_channel_layer()
    sending = [layer.group_send(group_name(table), message) for table, message in changes]
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            sent = await asyncio.gather(*sending, return_exceptions=True)
    except TimeoutError as error:
        sent = [error]
    if lost := [error for error in sent if error is not None]:
        log.warning("change_lost", changes=len(lost), error=repr(lost[0]))


_sender: Final = _Sender()
