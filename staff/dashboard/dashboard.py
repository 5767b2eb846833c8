"""The admin's index page: pending work, live tables, liabilities and system health."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, cast

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from core.clock import database_now
from core.pages.charts import Chart, Value, bar_chart
from finance.reports.definitions.rake import rake_by_day
from players.accounts.models import User
from staff.dashboard import figures
from staff.dashboard.checklists import checklists
from staff.dashboard.week import week_charts
from tables.integrity.moderation.table_figures import tables_by_phase
from tables.models.tables import Table
from wallet.ledger.money import PLAY_POINTS, as_money, as_text

DAYS_SHOWN: Final = 14


@dataclass(frozen=True, slots=True)
class PhaseRow:
    name: str
    number: int
    share: int


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add figures and charts to the index's context, with a fixed number of queries."""
    user, now = cast(User, request.user), database_now()
    phases = tables_by_phase() if user.has_perm("tables.view_table") else {}
    rake = _rake(timezone.localdate(now)) if user.has_perm("wallet.view_auditrun") else {}
    charts: list[Chart] = [
        bar_chart(_("Rake by day, %(currency)s") % {"currency": currency}, values)
        for currency, values in rake.items()
    ]
    earned = {currency: values[-1].words for currency, values in rake.items()}
    parts = figures.all_of(user, now, phases, earned)
    values = {"title": _("Today"), "parts": parts, "charts": charts, "as_of": now}
    if user.has_perms(("finance.view_dailyclose", "wallet.view_auditrun")):
        values["checklists"] = checklists(_day(request), timezone.localdate(now))
        charts += week_charts()
    return context | values | {"by_phase": _by_phase(phases) if phases else []}


def _day(request: HttpRequest) -> date | None:
    """Return the day in `?day=`; None if it is missing or invalid."""
    try:
        return date.fromisoformat(request.GET.get("day", ""))
    except ValueError:
        return None


def _rake(today: date) -> dict[str, list[Value]]:
    """Return the rake of the last days by currency, play points last."""
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS_SHOWN))]
    gained = rake_by_day(days[0], days[-1])
    return {
        currency: [
            Value(
                name=f"{day.day}",
                number=gained[currency].get(day, 0),
                words=as_text(as_money(gained[currency].get(day, 0), currency)),
            )
            for day in days
        ]
        for currency in sorted(gained, key=lambda code: (code == PLAY_POINTS, code))
    }


def _by_phase(phases: dict[str, int]) -> list[PhaseRow]:
    """Return the number of live tables by phase; shares are percent of the largest number."""
    most = max(phases.values(), default=0) or 1
    live = [phase for phase in Table.Phase if phase.value not in Table.OVER]
    counts = [(phase.label, phases.get(phase.value, 0)) for phase in live]
    return [PhaseRow(str(name), number, 100 * number // most) for name, number in counts]
