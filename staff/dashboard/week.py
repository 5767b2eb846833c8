"""The last week against the one before: players, deposits, games and liabilities."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.pages.dates import short_day
from finance.reports.definitions.liabilities import OWED
from finance.reports.frame.models import DailyClose, DailyTotal
from players.accounts.models import User
from staff.dashboard.charts import BEFORE, Chart, Headline, Series, change_of
from tables.models.seats import Seat
from wallet.ledger.models import Account
from wallet.ledger.money import SYMBOLS, as_decimal, as_money, as_text

DAYS: Final = 7
TAKEN: Final = Account.Kind.GATEWAY_CLEARING.value
Totals = dict[tuple[str, date], int]


def player_headlines(now: datetime) -> list[Headline]:
    """Return the people at tables and the new accounts of the week, by three queries."""
    week, before = now - timedelta(days=DAYS), now - timedelta(days=2 * DAYS)
    seats = Seat.objects.filter(joined_at__gte=before, player__is_bot=False).order_by()
    played = seats.aggregate(
        week=Count("player", distinct=True, filter=Q(joined_at__gte=week)),
        before=Count("player", distinct=True, filter=Q(joined_at__lt=week)),
    )
    people = User.objects.filter(date_joined__gte=before, is_bot=False, is_guest=False)
    joined = _by_day(people, "date_joined", "pk", now)
    new, new_before = sum(joined[DAYS:]), sum(joined[:DAYS])
    url = reverse("admin:players_user_changelist")
    return [
        Headline(
            _("Players at tables in 7 days"),
            str(played["week"]),
            change_of(played["week"], played["before"]),
            days=_by_day(seats, "joined_at", "player", now),
        ),
        Headline(_("New accounts in 7 days"), str(new), change_of(new, new_before), url, joined),
    ]


def _by_day(rows: QuerySet[Any], moment: str, counted: str, now: datetime) -> list[int]:
    """Return the numbers of the last fourteen days, the oldest first."""
    found = rows.order_by().annotate(day=TruncDate(moment)).values("day")
    numbers = dict(found.annotate(n=Count(counted, distinct=True)).values_list("day", "n"))
    today = timezone.localdate(now)
    return [numbers.get(today - timedelta(days=ago), 0) for ago in reversed(range(2 * DAYS))]


def closed_weeks() -> tuple[list[Headline], list[Chart]]:
    """Return the figures of the last closed days, if any, by two queries."""
    closes = list(DailyClose.objects.order_by("-day")[: 2 * DAYS])[::-1]
    if not closes:
        return [], []
    taken: Totals = defaultdict(int)
    owed: Totals = defaultdict(int)
    for total in DailyTotal.objects.filter(close__in=closes, account_kind__in=(*OWED, TAKEN)):
        at = total.currency, total.close_id
        if total.account_kind == TAKEN:
            # Claims against a gateway are negative on its account.
            taken[at] += total.out_minor
        else:
            owed[at] += total.closing_minor
    days = [close.day for close in closes]
    games = {close.day: close.games for close in closes}
    headlines: list[Headline] = []
    charts = [
        _weeks(_("Games ended by day"), days, games, {day: str(n) for day, n in games.items()})
    ]
    for currency in settings.CASH_CURRENCIES:
        deposits, words = _amounts(taken, currency, days)
        debts, debt_texts = _amounts(owed, currency, days)
        unit = SYMBOLS.get(currency, currency)
        headlines.append(_deposits(currency, days, taken, deposits))
        charts += [
            _weeks(_("Deposits by day") + f", {currency}", days, deposits, words, unit),
            Chart(
                _("Owed to players by day") + f", {currency}",
                [short_day(day) for day in days],
                [Series(_("Owed"), list(debts.values()), list(debt_texts.values()))],
                kind="line",
                unit=unit,
            ),
        ]
    return headlines, charts


def _deposits(
    currency: str, days: list[date], taken: Totals, deposits: dict[date, float]
) -> Headline:
    week = sum(taken[currency, day] for day in days[-DAYS:])
    before = sum(taken[currency, day] for day in days[-2 * DAYS : -DAYS])
    return Headline(
        _("Deposits in 7 closed days"),
        as_text(as_money(week, currency)),
        change_of(week, before),
        reverse("admin:wallet_deposit_changelist"),
        list(deposits.values()),
    )


def _amounts(
    found: Totals, currency: str, days: list[date]
) -> tuple[dict[date, float], dict[date, str]]:
    numbers = {day: float(as_decimal(found[currency, day], currency)) for day in days}
    return numbers, {day: as_text(as_money(found[currency, day], currency)) for day in days}


def _weeks(
    title: str, days: list[date], numbers: dict[date, Any], texts: dict[date, str], unit: str = ""
) -> Chart:
    """Return the last seven days as bars beside those a week before."""
    week = days[-DAYS:]
    series = [Series(_("This week"), [numbers[day] for day in week], [texts[day] for day in week])]
    earlier = [day - timedelta(days=DAYS) for day in week]
    if any(day in numbers for day in earlier):
        before = [numbers.get(day, 0) for day in earlier]
        shown = [texts.get(day, "-") for day in earlier]
        series.insert(0, Series(_("A week before"), before, shown, BEFORE))
    return Chart(title, [short_day(day) for day in week], series, unit=unit)
