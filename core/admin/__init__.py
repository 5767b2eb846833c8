"""Base classes of admin pages, the admin pages of `core`, and the CSV export of every list."""

from django.contrib import admin
from django.utils.translation import gettext_lazy

from core.admin.audit_entries import AuditEntryAdmin
from core.admin.csv_lists import export_csv
from core.admin.links import text_column
from core.admin.read_only import ReadOnlyAdmin
from core.partitions.models import ArchivedMonth

__all__ = ["ArchivedMonthAdmin", "AuditEntryAdmin", "export_csv"]


@admin.register(ArchivedMonth)
class ArchivedMonthAdmin(ReadOnlyAdmin):
    list_display = ("what", "first_day", "row_count", "file", "archived_at", "restored_at")
    fields = (*list_display, "sha256")

    what = text_column("label", gettext_lazy("Rows of"))

    @admin.display(description=gettext_lazy("Month"), ordering="month")
    def first_day(self, archived: ArchivedMonth) -> str:
        return f"{archived.month:%Y-%m}"
