"""Figures on the state of all tables; each is one query."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Min, Q, QuerySet

from core.db.replica import PRIMARY
from tables.models.deals import Deal
from tables.models.seats import Seat
from tables.models.tables import Heartbeat, Table
from tables.state.deadlines import SWEEP

# Longer than a seat's extra time plus the gap between two sweeps: later tables are stuck.
STUCK_AFTER: Final = timedelta(seconds=120)


def stuck_tables(now: datetime) -> QuerySet[Table]:
    """Return the tables whose clock is overdue for so long that staff must look at them."""
    return Table.objects.clock_due(now - STUCK_AFTER)


def tables_by_phase() -> dict[str, int]:
    """Return the number of live tables in each phase."""
    rows = Table.objects.live().order_by().values_list("phase")
    return dict(rows.annotate(Count("pk")))


def people_at_tables() -> tuple[int, int]:
    """Return the numbers of people and of bots seated at tables that are not over."""
    seated = Seat.objects.present().filter(table__finished_at__isnull=True)
    counts = seated.aggregate(
        people=Count("player", distinct=True, filter=Q(player__is_bot=False)),
        bots=Count("player", distinct=True, filter=Q(player__is_bot=True)),
    )
    return counts["people"], counts["bots"]


def unsettled_deals() -> tuple[int, datetime | None]:
    """Return the number of finished deals not scored yet, and since when the oldest waits."""
    ended = Deal.objects.filter(status=Deal.Status.ENDED)
    found = ended.aggregate(number=Count("pk"), since=Min("ended_at"))
    return found["number"], found["since"]


def last_sweep(*, database: str = PRIMARY) -> datetime | None:
    """Return the time of the clock's last heartbeat, as stored in a database."""
    beats = Heartbeat.objects.using(database).filter(name=SWEEP)
    return beats.values_list("beat_at", flat=True).first()
