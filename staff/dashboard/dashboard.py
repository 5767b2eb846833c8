"""The admin's index page: pending work, live tables, liabilities and system health."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, cast

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from core.clock import database_now
from core.pages.dates import short_day
from finance.reports.definitions.rake import rake_by_day
from players.accounts.models import User
from staff.dashboard import figures
from staff.dashboard.charts import Chart, Series
from staff.dashboard.checklists import checklists
from staff.dashboard.week import closed_weeks, player_headlines
from tables.integrity.moderation.table_figures import tables_by_phase
from tables.models.tables import Table
from wallet.ledger.money import PLAY_POINTS, SYMBOLS, as_decimal, as_money, as_text

DAYS_SHOWN: Final = 14


@dataclass(frozen=True, slots=True)
class PhaseRow:
    name: str
    number: int
    share: int


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add queues, figures and charts to the index's context, with a fixed number of queries."""
    user, now = cast(User, request.user), database_now()
    phases = tables_by_phase() if user.has_perm("tables.view_table") else {}
    charts = _rake(timezone.localdate(now)) if user.has_perm("wallet.view_auditrun") else []
    earned = {chart.unit: chart.series[0].texts[-1] for chart in charts}
    headlines = player_headlines(now) if user.has_perm("players.view_user") else []
    values: dict[str, Any] = {"title": _("Today"), "as_of": now}
    if user.has_perms(("finance.view_dailyclose", "wallet.view_auditrun")):
        values["checklists"] = checklists(_day(request), timezone.localdate(now))
        figures_of_weeks, charts_of_weeks = closed_weeks()
        headlines += figures_of_weeks
        charts += charts_of_weeks
    pending, clear = figures.waiting(user, now)
    return (
        context
        | values
        | {
            "headlines": headlines,
            "pending": pending,
            "clear": clear,
            "parts": figures.all_of(user, now, phases, earned),
            "charts": charts,
            "by_phase": _by_phase(phases) if phases else [],
        }
    )


def _day(request: HttpRequest) -> date | None:
    """Return the day in `?day=`; None if it is missing or invalid."""
    try:
        return date.fromisoformat(request.GET.get("day", ""))
    except ValueError:
        return None


def _rake(today: date) -> list[Chart]:
    """Return the rake of the last days by currency, play points last."""
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS_SHOWN))]
    gained = rake_by_day(days[0], days[-1])
    charts = []
    for currency in sorted(gained, key=lambda code: (code == PLAY_POINTS, code)):
        minor = [gained[currency].get(day, 0) for day in days]
        numbers = [float(as_decimal(each, currency)) for each in minor]
        texts = [as_text(as_money(each, currency)) for each in minor]
        charts.append(
            Chart(
                _("Rake by day, %(currency)s") % {"currency": currency},
                [short_day(day) for day in days],
                [Series(_("Rake"), numbers, texts)],
                unit=SYMBOLS.get(currency, currency),
            )
        )
    return charts


def _by_phase(phases: dict[str, int]) -> list[PhaseRow]:
    """Return the number of live tables by phase; shares are percent of the largest number."""
    most = max(phases.values(), default=0) or 1
    live = [phase for phase in Table.Phase if phase.value not in Table.OVER]
    counts = [(phase.label, phases.get(phase.value, 0)) for phase in live]
    return [PhaseRow(str(name), number, 100 * number // most) for name, number in counts]
