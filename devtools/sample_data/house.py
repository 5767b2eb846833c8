"""A house that has been lived in: weeks of play and money through the services."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
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
from devtools.sample_data.crowd import Crowd
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
# Who is there on the first day, beside the demo's own two and two who play together.
FIRST_PLAYERS: Final = 10
DAYS_LEAST: Final = 4
# More than the last morning takes, from midnight on: nothing is booked in the future.
LAST_MORNING: Final = timedelta(hours=12)


def live(
    *,
    days: int,
    seed: str,
    password: str,
    progress: Callable[[str], object],
    ends_on: date | None = None,
    crowd: int = 0,
) -> dict[str, Any]:
    """Generate that many days of activity in an empty database, and a morning with open work.

    They end on `ends_on`, or so that the morning is today's, before noon yesterday's. No time is in
    the future. The crowd is how many come every day beside the regulars. Return what it came to.
    The same seed gives the same figures in the same half of a day.
    """
    if days < DAYS_LEAST:
        raise ValueError(f"sample data is of {DAYS_LEAST} days or more")
    began, now = time.monotonic(), timezone.now()
    morning = last_morning(now)
    if ends_on is not None:
        if ends_on >= morning:
            raise ValueError(f"the last day has to end before {morning}, not on {ends_on}")
        morning = ends_on + timedelta(days=1)
    first = morning - timedelta(days=days)
    with connection.cursor() as cursor:
        # Whoever starts it waits; a crash half-way leaves nothing anybody would keep.
        cursor.execute("SET synchronous_commit = off")
    with (
        override_settings(BOT_THINK_SECONDS=0.0),
        fake_clock(began_on=first, seed=seed) as house,
    ):
        life = _move_in(house, password, days, crowd)
        for no in range(days):
            day = first + timedelta(days=no)
            life.live(no, day)
            progress(
                f"{day}  day {no + 1} of {days}, {life.games} games, "
                f"{Transfer.objects.count()} transfers, {time.monotonic() - began:.0f} s"
            )
        life.books.begin_day(morning)
        unfinished.leave_open(life)
        today = timezone.localdate(now)
        if ends_on is None and morning < today and house.at(today, 0, 10) <= now:
            life.books.begin_day(today)
        seals.seal_ledger()
        life.books.audit()
        if house.now > now:
            raise RuntimeError(f"The sample data ends in the future, at {house.now}.")
    return _report(life, time.monotonic() - began, seed)


def last_morning(now: datetime) -> date:
    """Return the last day whose morning, with all that is done on it, is over at this moment."""
    return timezone.localdate(now - LAST_MORNING)


def _move_in(house: FakeClock, password: str, days: int, newcomers: int) -> Days:
    """Furnish the site, hire staff, open other states, and let the first players in."""
    site.furnish(password=password)
    for offer in OFFERS:
        site.make_offer(offer)
    staff = hire(house, password)
    desk = Desk(house, staff)
    desk.open_places("MH", "DL", "GJ")
    people = People(house, password)
    for handle in site.PLAYERS:
        people.admit(User.objects.get(handle=handle), handle)
    cashier = Cashier(house, people, staff)
    books = Bookkeeping(house, staff, cashier)
    for number in range(2 + FIRST_PLAYERS):
        people.be_known(people.join(place="KA" if number < 2 else None), by=staff)
    for player in people.players:
        cashier.pay_in(player, 1_000)
    kinds = tournaments.offer(staff.operator)
    crowd = Crowd(people, staff, cashier, newcomers)
    return Days(house, people, staff, cashier, books, desk, kinds, days, crowd)


def _report(life: Days, seconds: float, seed: str) -> dict[str, Any]:
    audited = audit()
    return {
        "ok": audited.is_clean,
        "seed": seed,
        "days": life.number,
        "players": len(life.people.players) + len(life.crowd.players),
        "games": life.games,
        "transfers": Transfer.objects.count(),
        "entries": Entry.objects.count(),
        "audit": "clean" if audited.is_clean else [str(one) for one in audited.findings],
        "seconds": round(seconds, 1),
    }
