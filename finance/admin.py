"""Closes of days, exports and gateways' files, to be looked at."""

from __future__ import annotations

from django.contrib import admin
from unfold.admin import ModelAdmin, TabularInline

from finance.models import DailyClose, DailyTotal, Export, ExportJob, GatewayFile
from players.look_only import LookOnly


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


@admin.register(ExportJob)
class ExportJobAdmin(LookOnly, ModelAdmin):
    """Exports that workers write; what was fetched of them is among the exports."""

    list_display = ("report", "format", "token", "status", "rows_done", "created_at", "finished_at")
    list_filter = ("status", "report", "format", "token")
    search_fields = ("=public_id", "=sha256")
    date_hierarchy = "created_at"
    show_full_result_count = False


@admin.register(GatewayFile)
class GatewayFileAdmin(LookOnly, ModelAdmin):
    """What gateways said; held against the ledger by the report of that name."""

    list_display = (
        *("provider", "shape", "name", "line_count", "first_day", "last_day"),
        *("uploaded_by", "uploaded_at", "sha256"),
    )
    list_filter = ("provider", "shape", "uploaded_by")
    search_fields = ("=sha256", "name")
    date_hierarchy = "uploaded_at"
    show_full_result_count = False
