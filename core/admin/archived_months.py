"""Admin list of archived months and their files."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.read_only import ReadOnlyAdmin
from core.partitions.models import ArchivedMonth


@admin.register(ArchivedMonth)
class ArchivedMonthAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("what", "first_day", "row_count", "file", "archived_at", "restored_at")
    fields = (*list_display, "sha256")

    @admin.display(description=gettext_lazy("Rows of"))
    def what(self, archived: ArchivedMonth) -> str:
        return archived.label

    @admin.display(description=gettext_lazy("Month"), ordering="month")
    def first_day(self, archived: ArchivedMonth) -> str:
        return f"{archived.month:%Y-%m}"
