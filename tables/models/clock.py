"""When the house itself was away: nobody loses a turn to our restart (ARCHITECTURE 6)."""

from __future__ import annotations

from typing import ClassVar, Self

from django.db import models


class HeartbeatQuerySet(models.QuerySet["Heartbeat"]):
    def locked(self) -> Self:
        return self.select_for_update(no_key=True)


class Heartbeat(models.Model):
    """The sweep's last sign of life."""

    name = models.CharField(max_length=20, primary_key=True)
    beat_at = models.DateTimeField()

    objects = HeartbeatQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} at {self.beat_at:%H:%M:%S}"


class Outage(models.Model):
    """A gap of more than three seconds between two heartbeats."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(ended_at__gt=models.F("started_at")),
                name="tables_outage_ends_after_it_starts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.started_at:%Y-%m-%d %H:%M:%S} to {self.ended_at:%H:%M:%S}"
