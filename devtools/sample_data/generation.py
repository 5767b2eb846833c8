"""Generate sample data: weeks of games and payments, made by calling the services."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from typing import Any, Final

from django.db import connection
from django.test.utils import override_settings
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from devtools.demo_site import players_and_tables as site
from devtools.demo_site.players_and_tables import Offer
from devtools.sample_data import tournaments, unfinished
from devtools.sample_data.bookkeeping import Bookkeeping
from devtools.sample_data.cashier import Cashier
from devtools.sample_data.days import Days
from devtools.sample_data.desk import Desk
from devtools.sample_data.fake_clock import FakeClock, fake_clock
from devtools.sample_data.people import People, hire
from players.accounts.models import User
from wallet.audit import seals
from wallet.audit.audit import audit
from wallet.ledger.models import Entry, Transfer

OFFERS: Final = (
    Offer("pool-61-cash", _("Pool 61 for ₹50"), "total-rummy-pool-61", 50_00, 4, currency="INR"),
)
# Players on the first day, beside the demo's two and the two who collude.
FIRST_PLAYERS: Final = 10
DAYS_LEAST: Final = 4
# The pending work is of the last hours; more than its games and tournaments take.
LAST_HOURS: Final = timedelta(hours=10)
# With `ends_on`, the time on the next day at which the sample data ends.
ENDS_AT: Final = 18


def generate_sample_data(
    *,
    days: int,
    seed: str,
    password: str,
    progress: Callable[[str], object],
    ends_on: date | None = None,
) -> dict[str, Any]:
    """Generate that many days of activity in an empty database, and pending work until now.

    The pending work is of the last hours. With `ends_on` it is of the day after. Return a report.
    The same seed generates the same data at the same time of day.

    Raise `ValueError` for too few days or a last day that has not ended.
    """
    if days < DAYS_LEAST:
        raise ValueError(f"sample data has {DAYS_LEAST} days or more")
    began, now = time.monotonic(), timezone.now()
    last_hours = now - LAST_HOURS
    if ends_on is not None:
        if ends_on >= timezone.localdate(now):
            raise ValueError(f"the last day must be before today, not {ends_on}")
        zone = timezone.get_default_timezone()
        ends_at = datetime.combine(ends_on + timedelta(days=1), clock_time(ENDS_AT), zone)
        last_hours = min(last_hours, ends_at - LAST_HOURS)
    today = timezone.localdate(last_hours)
    first = today - timedelta(days=days)
    with connection.cursor() as cursor:
        # Faster; after a crash the incomplete data is of no use anyway.
        cursor.execute("SET synchronous_commit = off")
    with (
        override_settings(BOT_THINK_SECONDS=0.0),
        fake_clock(began_on=first, seed=seed) as site_clock,
    ):
        activity = _prepare(site_clock, password, days)
        for no in range(days + 1):
            day = first + timedelta(days=no)
            activity.generate_day(no, day, until=last_hours)
            progress(
                f"{day}  day {no + 1} of {days + 1}, {activity.games} games, "
                f"{Transfer.objects.count()} transfers, {time.monotonic() - began:.0f} s"
            )
        site_clock.move_to(last_hours)
        elapsed = timedelta(seconds=time.monotonic() - began) if ends_on is None else timedelta()
        unfinished.leave_open(activity, until=last_hours + LAST_HOURS + elapsed)
        seals.seal_ledger()
        activity.books.audit()
    return _report(activity, time.monotonic() - began, seed)


def _prepare(site_clock: FakeClock, password: str, days: int) -> Days:
    """Create templates and staff, open other states, and add the first players."""
    site.furnish(password=password)
    for offer in OFFERS:
        site.make_offer(offer)
    staff = hire(site_clock, password)
    desk = Desk(site_clock, staff)
    desk.open_places("MH", "DL", "GJ")
    people = People(site_clock, password)
    for handle in site.PLAYERS:
        people.admit(User.objects.get(handle=handle), handle)
    cashier = Cashier(site_clock, people, staff)
    books = Bookkeeping(site_clock, staff, cashier)
    for number in range(2 + FIRST_PLAYERS):
        people.be_known(people.join(place="KA" if number < 2 else None), by=staff)
    for player in people.players:
        cashier.pay_in(player, 1_000)
    kinds = tournaments.offer(staff.operator)
    return Days(site_clock, people, staff, cashier, books, desk, kinds, days)


def _report(activity: Days, seconds: float, seed: str) -> dict[str, Any]:
    audited = audit()
    return {
        "ok": audited.is_clean,
        "seed": seed,
        "days": activity.number,
        "players": len(activity.people.players),
        "games": activity.games,
        "transfers": Transfer.objects.count(),
        "entries": Entry.objects.count(),
        "audit": "clean" if audited.is_clean else [str(one) for one in audited.findings],
        "seconds": round(seconds, 1),
    }
