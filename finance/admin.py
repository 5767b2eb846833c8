"""Closes of days and exports, to be looked at."""

from __future__ import annotations

from django.contrib import admin
from unfold.admin import ModelAdmin, TabularInline

from finance.models import DailyClose, DailyTotal, Export
from wallet.admin.look_only import LookOnly


class DailyTotalInline(LookOnly, TabularInline):
    model = DailyTotal
    fields = (
        *("currency", "account_kind", "opening_minor", "in_minor", "out_minor", "closing_minor"),
    )
    extra = 0


@admin.register(DailyClose)
class DailyCloseAdmin(LookOnly, ModelAdmin):
    list_display = ("day", "closed_at", "transfers", "entries", "games", "control_hash")
    date_hierarchy = "day"
    inlines = (DailyTotalInline,)


@admin.register(Export)
class ExportAdmin(LookOnly, ModelAdmin):
    """Who was given what; one without an end was broken off."""

    list_display = ("report", "format", "token", "started_at", "finished_at", "rows", "sha256")
    list_filter = ("report", "format", "token")
    search_fields = ("=sha256", "filters")
    date_hierarchy = "started_at"
    show_full_result_count = False
