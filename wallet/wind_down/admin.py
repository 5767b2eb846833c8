"""Admin of the daily wind-down reports."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import F, Sum
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy

from core.admin.read_only import ReadOnlyAdmin
from wallet.ledger.money import as_money, as_text
from wallet.wind_down.models import OwedReport


@admin.register(OwedReport)
class OwedReportAdmin(ReadOnlyAdmin):
    list_display = ("day", "currency", "owed", "made_at", "mailed_at")
    date_hierarchy = "day"
    fields = ("day", "currency", "made_at", "mailed_at", "places")

    @admin.display(description=gettext_lazy("Owed"))
    def owed(self, report: OwedReport) -> str:
        """Return the sum of players' wallets, withdrawals and money in games."""
        sums = report.lines.aggregate(
            minor=Sum(F("wallets_minor") + F("withdrawals_minor") + F("in_games_minor"), default=0)
        )
        return as_text(as_money(sums["minor"], report.currency))

    @admin.display(description=gettext_lazy("Places"))
    def places(self, report: OwedReport) -> str:
        rows = (
            (
                line,
                line.get_offer_display(),
                line.players,
                *map(as_text, (line.wallets, line.withdrawals, line.in_games, line.bonuses)),
            )
            for line in report.lines.select_related("report")
        )
        layout = "<p>{}: {}; {} players, wallets {}, withdrawals {}, in games {}, bonuses {}</p>"
        return format_html_join("", layout, rows)
