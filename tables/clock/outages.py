"""The sweep's heartbeat; what is missing between two beats is an outage."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction

from core.db.statements import Statement
from tables.table.deadlines import GAP_ALLOWED, SWEEP
from tables.table.models import Heartbeat, Outage

# One statement as long as all is well; it changes nothing when a beat was missed.
_BEAT: Final = Statement(
    "UPDATE tables_heartbeat SET beat_at = %s WHERE name = %s AND beat_at BETWEEN %s AND %s"
    " RETURNING name"
)


def beat(*, now: datetime) -> None:
    """Note that the sweep is alive, and the outage that ends with this beat, if one does."""
    if not _BEAT.rows(now, SWEEP, now - GAP_ALLOWED, now):
        _note_outage(now)


@transaction.atomic(durable=True)
def _note_outage(now: datetime) -> None:
    heart, is_new = Heartbeat.objects.get_or_create(name=SWEEP, defaults={"beat_at": now})
    if is_new:
        return
    heart = Heartbeat.objects.locked().get(name=SWEEP)
    if now <= heart.beat_at:  # Another process swept a moment ago.
        return
    if now - heart.beat_at > GAP_ALLOWED:
        Outage.objects.create(started_at=heart.beat_at, ended_at=now)
    heart.beat_at = now
    heart.save(update_fields=["beat_at"])
