"""What the house earned day by day: closed days from their closes, open ones from the ledger."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta

from django.db.models import F, Max, Sum

from finance.reports.frame.models import DailyClose, DailyTotal
from wallet.ledger.models import Account, Entry

RAKE = Account.Kind.RAKE


def rake_by_day(first: date, last: date) -> dict[str, dict[date, int]]:
    """Return what rake accounts gained on each of the house's days, in minor units, by currency.

    Days without a movement are left out. Three queries, however many games there were: a closed
    day costs a row for each currency.
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
