"""Admin of players' own limits, change by change."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.read_only import ReadOnlyAdmin
from wallet.ledger.admin_columns import OfPlayer
from wallet.limits.models import OwnLimit


@admin.register(OwnLimit)
class OwnLimitAdmin(OfPlayer, ReadOnlyAdmin, ModelAdmin):
    list_display = ("id", "who", "kind", "period", "figure", "asked_at", "applies_at")
    list_filter = ("kind", "period", "currency")
    list_select_related = ("player",)
    search_fields = ("=player__public_id", "player__handle", "player__email")
    date_hierarchy = "asked_at"
    show_full_result_count = False
    fields = ("who", "kind", "period", "figure", "asked_at", "applies_at")

    @admin.display(description=gettext_lazy("Limit"), ordering="amount_minor")
    def figure(self, act: OwnLimit) -> str:
        return act.figure
