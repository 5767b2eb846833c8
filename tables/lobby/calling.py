"""Notify players' devices when a table awaits them and they do not have it open."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction

from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from players.sign_in.devices import push
from players.sign_in.devices.models import PushSubscription
from tables.models.seats import Seat
from tables.models.tables import Table
from tables.play.running import waits_for_viewer
from tables.seats import open_sockets
from tables.view.table_view import table_view

log = structlog.get_logger(__name__)

# Grace time for pages that are loading or reloading and have no socket yet.
PATIENCE: Final = timedelta(seconds=3)
# After this time a start is not announced any more: the game is already in progress.
STARTS_FOR: Final = timedelta(minutes=1)


def call_away_players(now: datetime) -> int:
    """Notify players with devices of tables that start or await them and are not open.

    One notification per start and per turn; return the number of seats checked.
    """
    if not push.is_available():
        return 0
    reachable = PushSubscription.objects.signed_in(now).values("player")
    seats = Seat.objects.present().filter(player__in=reachable, table__started_at__isnull=False)
    running = seats.filter(table__finished_at__isnull=True, table__armed_at__lte=now - PATIENCE)
    by_place = {
        (seat.table_id, seat.player_id): seat
        for seat in running.select_related("player", "table__profile").order_by("pk")
    }
    away = open_sockets.away(by_place.keys(), now=now)
    for place in sorted(away):
        with structlog.contextvars.bound_contextvars(table=place[0]):
            try:
                _call(by_place[place], now)
            except Exception:  # A sweep: one bad row must not keep the others from being called.
                log.exception("call_failed")
    return len(away)


@transaction.atomic(durable=True)
def _call(seat: Seat, now: datetime) -> None:
    table = seat.table
    if table.started_at is not None and now - table.started_at < STARTS_FOR:
        _notify(seat, Notification.Kind.TABLE_STARTS, f"starts:{table.pk}", now)
    if waits_for_viewer(table_view(table, seat.player)):
        assert table.armed_at is not None, "a table that waits has a clock"
        since = int(table.armed_at.timestamp() * 1000)
        _notify(seat, Notification.Kind.YOUR_TURN, f"turn:{table.pk}:{since}", now)


def _notify(seat: Seat, kind: Notification.Kind, key: str, now: datetime) -> None:
    table: Table = seat.table
    notify(
        [Recipient(seat.player)],
        kind=kind,
        key=key,
        subject=table.name,
        about=table.public_id,
        now=now,
    )
