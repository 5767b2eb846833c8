"""Charts of the last seven closed days: games, deposits and liabilities."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _

from core.pages.charts import Chart, Value, bar_chart
from finance.reports.definitions.player_liability import OWED
from finance.reports.frame.models import DailyClose, DailyTotal
from wallet.ledger.models import Account
from wallet.ledger.money import as_money, as_text

DAYS: Final = 7
TAKEN: Final = Account.Kind.GATEWAY_CLEARING.value


def week_charts() -> list[Chart]:
    """Return the charts, by two queries; an empty list before the first close."""
    closes = list(DailyClose.objects.order_by("-day")[:DAYS])[::-1]
    if not closes:
        return []
    taken: dict[tuple[str, date], int] = defaultdict(int)
    owed: dict[tuple[str, date], int] = defaultdict(int)
    for total in DailyTotal.objects.filter(close__in=closes, account_kind__in=(*OWED, TAKEN)):
        at = total.currency, total.close_id
        if total.account_kind == TAKEN:
            # Claims against a gateway are negative on its account.
            taken[at] += total.out_minor
        else:
            owed[at] += total.closing_minor
    days = [close.day for close in closes]
    games = [Value(f"{close.day.day}", close.games, f"{close.games}") for close in closes]
    charts = [bar_chart(_("Games ended by day"), games)]
    for currency in settings.CASH_CURRENCIES:
        for title, found in (
            (_("Deposits by day"), taken),
            (_("Owed to players by day"), owed),
        ):
            charts.append(bar_chart(f"{title}, {currency}", _bars(found, currency, days)))
    return charts


def _bars(found: dict[tuple[str, date], int], currency: str, days: list[date]) -> list[Value]:
    return [
        Value(
            name=f"{day.day}",
            number=found[currency, day],
            words=as_text(as_money(found[currency, day], currency)),
        )
        for day in days
    ]
