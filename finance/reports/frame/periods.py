"""The period of a report, and which ledger entries belong to it.

In the site's time zone a day is a booking day, which a close makes final. In any other zone it is
the time between two midnights there, by the time of posting.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from core.clock import database_now
from finance.exceptions import BadPeriod, UnknownTimeZone

EARLIEST, LATEST = date(2000, 1, 1), date(2199, 12, 31)
# The former name of the site's zone, which browsers still send.
OLD_NAMES = {"Asia/Calcutta": "Asia/Kolkata"}


@dataclass(frozen=True)
class Period:
    """All days from `first` (None: from the beginning) to `last`, both included."""

    first: date | None
    last: date
    tz: str

    @classmethod
    def asked(cls, first: date | None, last: date | None, tz: str) -> Period:
        """Return the period; `last` defaults to today. Raise `UnknownTimeZone` or `BadPeriod`."""
        if tz not in zones():
            raise UnknownTimeZone(f"there is no time zone {tz!r}")
        zone = ZoneInfo(tz)
        if last is None:
            last = max(timezone.localdate(database_now(), zone), first or EARLIEST)
        for day in filter(None, (first, last)):
            if not EARLIEST <= day <= LATEST:
                raise BadPeriod(f"{day} is not between {EARLIEST} and {LATEST}")
        if first is not None and first > last:
            raise BadPeriod(f"{first} is after {last}")
        return cls(first, last, tz)

    @property
    def is_site_zone(self) -> bool:
        """Return whether the days of this period are booking days."""
        return self.tz == settings.TIME_ZONE

    def within(self, transfer: str = "transfer__") -> Q:
        """Return the condition that a transfer belongs to this period."""
        if self.first is None:
            return self.until(transfer)
        if self.is_site_zone:
            since = Q(**{f"{transfer}booked_on__gte": self.first})
        else:
            since = Q(**{f"{transfer}created_at__gte": self.midnight(self.first)})
        return since & self.until(transfer)

    def until(self, transfer: str = "transfer__") -> Q:
        """Return the condition that a transfer is on the last day or before it."""
        if self.is_site_zone:
            return Q(**{f"{transfer}booked_on__lte": self.last})
        return Q(**{f"{transfer}created_at__lt": self.midnight(self.last + timedelta(days=1))})

    def midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), tzinfo=ZoneInfo(self.tz))


@cache
def zones() -> frozenset[str]:
    """Return the time zones that do not depend on the machine's configuration."""
    return frozenset(available_timezones() - {"localtime", "Factory"})


SITE_ZONE = "Asia/Kolkata"
