"""Events for the operator's programs, written in the transaction of the fact they describe.

The layer that owns a fact records its event; `finance.webhooks` delivers the rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Self

from django.db import connection, models
from django.utils.translation import gettext_lazy

from core.clock import DatabaseNow
from core.db.identifiers import new_public_id


class EventQuerySet(models.QuerySet["Event"]):
    def unplanned(self) -> Self:
        return self.filter(planned_at__isnull=True)

    def locked(self) -> Self:
        return self.select_for_update(skip_locked=True, no_key=True).order_by("pk")


class Event(models.Model):
    """An event; `key` is unique within its kind, and `body` is JSON for the operator's programs."""

    class Kind(models.TextChoices):
        GAME_FINISHED = "game.finished", gettext_lazy("Game finished")
        WITHDRAWAL_ASKED = "withdrawal.asked", gettext_lazy("Withdrawal asked for")
        DAY_CLOSED = "day.closed", gettext_lazy("Day closed")

    public_id = models.UUIDField(unique=True, default=new_public_id, editable=False)
    kind = models.CharField(max_length=30, choices=Kind)
    key = models.CharField(max_length=60)
    body = models.TextField()
    happened_at = models.DateTimeField()
    # When its webhook deliveries were planned.
    planned_at = models.DateTimeField(null=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["kind", "key"], name="core_event_happens_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["id"],
                condition=models.Q(planned_at__isnull=True),
                name="core_event_unplanned",
            ),
            models.Index(fields=["happened_at"], name="core_event_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


def record_event(
    kind: Event.Kind, *, key: str, data: Mapping[str, Any], now: datetime | None = None
) -> None:
    """Write an event in the transaction of its fact; the same key again writes nothing.

    `data` is sent to the operator's programs unchanged: it must hold no secrets or personal data.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an event must be committed with its fact")
    event = Event(kind=kind, key=key, body=json.dumps(data), happened_at=now or DatabaseNow())
    Event.objects.bulk_create([event], ignore_conflicts=True)
