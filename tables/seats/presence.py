"""Presence of players at waiting tables; absent players get their stake back.

A waiting table has no turn timer. Without this, the stake of a player whose client is gone would
stay in escrow until another player sat down.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from core.db.statements import Statement
from tables.games import game_of
from tables.models.addresses import table_of_seat
from tables.models.seats import Seat, SeatQuerySet
from tables.models.tables import Table
from tables.responsible.verdicts import stopped_at_waiting_tables, stopped_seats
from tables.seats.open_sockets import Place
from tables.settlement import notifications
from tables.state.deadlines import time_lost
from tables.state.locks import LockedTable, lock_if_free, snapshot_of
from tables.state.publishing import publish

# How long a recorded presence is valid, in seconds; until then it is not written again.
SEEN_FOR: Final = timedelta(seconds=30)

_NOTE: Final = Statement(
    "UPDATE tables_seat s SET seen_at = %s FROM tables_table t"
    " WHERE t.id = s.table_id AND t.id = %s AND t.phase = 'waiting'"
    " AND s.player_id = %s AND s.left_at IS NULL AND s.seen_at < %s RETURNING s.id"
)
# Of these places, the seats at waiting tables that were not seen lately.
_UNSEEN: Final = Statement(
    "SELECT s.table_id, s.player_id"
    " FROM unnest(%s::bigint[], %s::bigint[]) AS place (table_id, player_id)"
    " JOIN tables_seat s ON s.table_id = place.table_id AND s.player_id = place.player_id"
    " JOIN tables_table t ON t.id = s.table_id"
    " WHERE t.phase = 'waiting' AND s.left_at IS NULL AND s.seen_at < %s"
)


def note(*, table_id: int, player_id: int, now: datetime) -> None:
    """Record that a seat's player is present, if the table is waiting."""
    _NOTE.rows(now, table_id, player_id, now - SEEN_FOR)


def note_all(places: Collection[Place], now: datetime) -> None:
    """Record the presence of many players; tables in play are skipped."""
    if not places:
        return
    tables, players = zip(*places, strict=True)
    for table_id, player_id in _UNSEEN.rows([*tables], [*players], now - SEEN_FOR):
        note(table_id=table_id, player_id=player_id, now=now)


def give_up_away_seats(now: datetime) -> int:
    """Free seats at waiting tables of players who are away or may not play; return how many."""
    since = now - _term()
    away = Seat.objects.not_seen_since(since).values_list("pk", flat=True)
    return sum(_give_up(pk, now) for pk in sorted({*away, *stopped_at_waiting_tables()}))


@transaction.atomic(durable=True)
def _give_up(seat_id: int, now: datetime) -> bool:
    """Return the entry or stack to the buckets it came from, and notify the player."""
    table = lock_if_free(table_of_seat(seat_id))
    if table is None:
        return False
    away = _away(table.seats.filter(pk=seat_id), now)
    seat = next((seat for seat in snapshot_of(table).present() if seat.pk == seat_id), None)
    if seat is None or not (away or _is_stopped(table, seat)):
        return False
    game_of(table).get_up(table, seat, now)
    notifications.notify_of_seat_given_up(table, seat, now)
    publish(table)
    return True


def _is_stopped(table: LockedTable, seat: Seat) -> bool:
    return table.phase == Table.Phase.WAITING and seat in stopped_seats(table)


def _away(seats: SeatQuerySet, now: datetime) -> bool:
    seat = seats.not_seen_since(now - _term()).first()
    return seat is not None and now - seat.seen_at - time_lost(seat.seen_at, now) >= _term()


def _term() -> timedelta:
    return timedelta(minutes=settings.AWAY_MINUTES)
