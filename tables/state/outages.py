"""The sweep's heartbeat; a gap between two beats is recorded as an outage."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction

from core.clock import NOW_SQL, database_now
from core.db.statements import Statement
from tables.models.tables import Heartbeat, Outage
from tables.state.deadlines import GAP_ALLOWED, SWEEP

# One statement if no beat was missed; otherwise it changes nothing.
_BEAT: Final = Statement(
    f"WITH clock AS MATERIALIZED (SELECT COALESCE(%s::timestamptz, {NOW_SQL}) AS now)"  # noqa: S608
    " UPDATE tables_heartbeat SET beat_at = clock.now FROM clock"
    " WHERE name = %s AND beat_at BETWEEN clock.now - %s::interval AND clock.now RETURNING name"
)


def beat(*, now: datetime | None = None) -> None:
    """Record the sweep's heartbeat, and the outage that ends with it, if any.

    Without `now`, use the database's time.
    """
    if not _BEAT.rows(now, SWEEP, GAP_ALLOWED):
        _note_outage(now)


@transaction.atomic(durable=True)
def _note_outage(now: datetime | None) -> None:
    first = {"beat_at": now or database_now()}
    _, is_new = Heartbeat.objects.get_or_create(name=SWEEP, defaults=first)
    if is_new:
        return
    heart = Heartbeat.objects.locked().get(name=SWEEP)
    now = now or database_now()
    if now <= heart.beat_at:  # Another process has just run the sweep.
        return
    if now - heart.beat_at > GAP_ALLOWED:
        Outage.objects.create(started_at=heart.beat_at, ended_at=now)
    heart.beat_at = now
    heart.save(update_fields=["beat_at"])
