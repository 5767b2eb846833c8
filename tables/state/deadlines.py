"""When a table's clock runs out; the installation's outages are added to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from tables.models.tables import Heartbeat, Outage, Table

SWEEP: Final = "sweep"
# Between two heartbeats of the sweep; a longer gap counts as an outage.
GAP_ALLOWED: Final = timedelta(seconds=3)

Gaps = Sequence[tuple[datetime, datetime]]


def time_lost(since: datetime, until: datetime) -> timedelta:
    """Return how much of this time was lost to outages, including a current one."""
    return overlap(outages_between(since, until), since, until)


def outages_between(since: datetime, until: datetime) -> Gaps:
    """Return the outages between two moments, including a current one.

    Without a first heartbeat there are none: nothing could have been interrupted.
    """
    outages = Outage.objects.filter(ended_at__gt=since, started_at__lt=until)
    beats = Heartbeat.objects.filter(name=SWEEP).values_list("beat_at", flat=True)
    return with_present(list(outages.values_list("started_at", "ended_at")), beats.first(), until)


def with_present(outages: Gaps, last_beat: datetime | None, now: datetime) -> Gaps:
    """Return these outages and the current one, if the last heartbeat is too old."""
    if last_beat is None or now - last_beat <= GAP_ALLOWED:
        return outages
    return [*outages, (last_beat, now)]


def overlap(gaps: Gaps, since: datetime, until: datetime) -> timedelta:
    """Return how much of the time between two moments falls into these gaps."""
    overlaps = (min(end, until) - max(start, since) for start, end in gaps)
    return sum((max(overlap, timedelta()) for overlap in overlaps), timedelta())


def deadline(table: Table, now: datetime) -> datetime | None:
    """Return when the table's clock runs out, with the outages since it was armed added."""
    if table.due_at is None or table.armed_at is None:
        return None
    return table.due_at + time_lost(table.armed_at, now)


def is_late(table: Table, now: datetime) -> bool:
    """Return whether the clock has run out; a command in time may have waited for the lock."""
    end = deadline(table, now)
    return end is not None and end <= now
