"""Save a table's new state, and broadcast it once it is committed.

The channel layer is asyncio only, which would cost a fifth of a whole move. Instead one thread per
process publishes the collected messages, at most a hundred times a second, in the format that the
subscribers' channel layer reads.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final
from uuid import UUID

import redis
import structlog
from channels.layers import get_channel_layer
from channels_redis.utils import _consistent_hash
from django.conf import settings
from django.db import transaction

from core import tracing
from core.db.statements import Query, Statement, execute_pipeline
from core.redis import servers
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
    _after_commit(lambda: broadcast_change(public_id, version))
    if table.settlement_due:
        enqueue_on_commit("tables.settle_table", table.pk)
    elif table.phase == Table.Phase.SETTLING:
        deal = table.deals.only("pk", "table").get(no=table.deal_no)
        enqueue_on_commit("tables.settle_deal", deal.pk)
    if enqueue_bots and table.bot_due_at is not None and settings.BOT_THINK_SECONDS == 0:
        enqueue_on_commit("tables.play_bots", table.pk)


def _after_commit(send: Callable[[], object]) -> None:
    # Django logs a robust callback's failure by its qualified name, which a partial lacks.
    transaction.on_commit(send, robust=True)


def group_name(public_id: UUID) -> str:
    """Return the channel group of the table's subscribers."""
    return f"table.{public_id.hex}"


def broadcast_change(public_id: UUID, version: int) -> None:
    """Send a table's new version to its subscribers; delivery is not guaranteed."""
    with tracing.span("hint", table=str(public_id), version=version):
        _sender.put((public_id, tracing.with_trace({"version": version})))


def broadcast_phrase(public_id: UUID, *, handle: str, phrase: str, at: str) -> None:
    """Send a player's phrase to the table's subscribers; delivery is not guaranteed."""
    _sender.put((public_id, {"handle": handle, "phrase": phrase, "at": at}))


class _Sender:
    """A daemon thread with a Redis connection, started on first use in each process."""

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
        waiting = self._waiting
        while True:
            changes = [waiting.get()]
            while not waiting.empty():
                changes.append(waiting.get())
            _publish_all(changes)
            time.sleep(PAUSE_SECONDS)


@cache
def _client(url: str) -> redis.Redis:
    return servers.client(
        url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
    )


def _publish_all(changes: list[Change]) -> None:
    layer: Any = get_channel_layer()
    by_server: defaultdict[str, list[tuple[str, bytes]]] = defaultdict(list)
    for public_id, message in changes:
        # The group's key and server, as `RedisPubSubChannelLayer` derives them.
        name = f"asgi__group__{group_name(public_id)}"
        url = settings.CHANGE_MESSAGE_URLS[
            _consistent_hash(name, len(settings.CHANGE_MESSAGE_URLS))
        ]
        by_server[url].append((name, layer.serialize(message)))
    for url, sent in by_server.items():
        try:
            with _client(url).pipeline(transaction=False) as pipeline:
                for name, text in sent:
                    pipeline.publish(name, text)
                pipeline.execute()
        except (redis.RedisError, OSError) as error:
            log.warning("change_lost", changes=len(sent), error=str(error))


_sender: Final = _Sender()
