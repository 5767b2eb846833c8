"""Admin of the daily wind-down reports."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import F, Sum
from django.utils.html import format_html_join
from django.utils.translation import gettext, gettext_lazy

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
        text = gettext(
            "%(place)s: %(offer)s; %(players)s players, wallets %(wallets)s, withdrawals"
            " %(withdrawals)s, in games %(in_games)s, bonuses %(bonuses)s"
        )
        sums = ("wallets", "withdrawals", "in_games", "bonuses")
        rows = (
            text
            % {
                "place": line,
                "offer": line.get_offer_display(),
                "players": line.players,
                **{name: as_text(getattr(line, name)) for name in sums},
            }
            for line in report.lines.select_related("report")
        )
        return format_html_join("", "<p>{}</p>", ((row,) for row in rows))
