"""Admin of players' own limits, change by change."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy

from core.admin.links import text_column
from core.admin.read_only import ReadOnlyAdmin
from wallet.ledger.admin_columns import OfPlayer
from wallet.limits.models import OwnLimit


@admin.register(OwnLimit)
class OwnLimitAdmin(OfPlayer, ReadOnlyAdmin):
    list_display = ("id", "who", "kind", "period", "figure", "asked_at", "applies_at")
    list_filter = ("kind", "period", "currency")
    list_select_related = ("player",)
    search_fields = ("=player__public_id", "player__handle", "player__email")
    date_hierarchy = "asked_at"
    fields = ("who", "kind", "period", "figure", "asked_at", "applies_at")

    figure = text_column("figure", gettext_lazy("Limit"), ordering="amount_minor")
