"""Rake by day: of closed days from their closes, of open days from the ledger."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta

from django.db.models import F, Max, Sum

from finance.reports.frame.models import DailyClose, DailyTotal
from wallet.ledger.models import Account, Entry

RAKE = Account.Kind.RAKE


def rake_by_day(first: date, last: date) -> dict[str, dict[date, int]]:
    """Return the net movement of rake accounts in minor units, by currency and booking day.

    Days without a movement are left out. Makes three queries, whatever the number of games.
    """
    closed_until = DailyClose.objects.filter(day__lte=last).aggregate(day=Max("day"))["day"]
    found: dict[str, dict[date, int]] = defaultdict(dict)
    closed = DailyTotal.objects.filter(close__day__range=(first, last), account_kind=RAKE)
    for day, currency, gained in closed.values_list(
        "close__day", "currency", F("in_minor") - F("out_minor")
    ):
        found[currency][day] = int(gained)
    since = first if closed_until is None else max(first, closed_until + timedelta(days=1))
    booked = Entry.objects.filter(
        account__kind=RAKE, transfer__booked_on__gte=since, transfer__booked_on__lte=last
    ).order_by()
    for day, currency, gained in booked.values_list("transfer__booked_on", "currency").annotate(
        Sum("amount_minor")
    ):
        found[currency][day] = int(gained)
    return dict(found)
