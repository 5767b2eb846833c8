"""Read-only admin of daily closes and exports."""

from __future__ import annotations

from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from core.admin.edit_pages import action_on_each, permitted
from core.admin.links import clipped_column, link, text_column
from core.admin.read_only import ReadOnlyAdmin, ReadOnlyInline
from finance.reports.exports import jobs as export_jobs
from finance.reports.exports.models import Export, ExportJob
from finance.reports.frame.models import DailyClose, DailyTotal
from wallet.ledger.admin_columns import amount_column


class DailyTotalInline(ReadOnlyInline):
    model = DailyTotal
    fields = (
        "currency",
        "account_kind",
        "opening",
        "incoming",
        "outgoing",
        "closing",
    )

    opening = amount_column("opening_minor", gettext_lazy("Opening balance"))
    incoming = amount_column("in_minor", gettext_lazy("In"))
    outgoing = amount_column("out_minor", gettext_lazy("Out"))
    closing = amount_column("closing_minor", gettext_lazy("Closing balance"))


@admin.register(DailyClose)
class DailyCloseAdmin(ReadOnlyAdmin):
    list_display = ("day", "closed_at", "transfers", "entries", "games", "checked_hash", "files")
    date_hierarchy = "day"
    inlines = (DailyTotalInline,)

    checked_hash = clipped_column("control_hash", gettext_lazy("Hash"))

    @admin.display(description=gettext_lazy("Files"))
    def files(self, close: DailyClose) -> str:
        return link(reverse("closed-period", args=[close.day, close.day]), gettext("Reports"))


@admin.register(Export)
class ExportAdmin(ReadOnlyAdmin):
    """Reports that were sent; one without an end was interrupted."""

    list_display = ("report", "format", "read_by", "started_at", "finished_at", "rows", "file_hash")
    list_select_related = ("token", "staff")
    list_filter = ("report", "format", "token")
    search_fields = ("=sha256", "filters")
    date_hierarchy = "started_at"

    read_by = text_column("reader", gettext_lazy("Read by"))
    file_hash = clipped_column("sha256", "SHA-256")


@admin.register(ExportJob)
class ExportJobAdmin(ReadOnlyAdmin):
    """Exports written by workers; each download is listed under exports."""

    times = ("created_at", "finished_at")
    list_display = ("report", "format", "read_by", "status", "rows_done", *times)
    list_select_related = ("token", "staff")
    list_filter = ("status", "report", "format", "token")
    search_fields = ("=public_id", "=sha256")
    date_hierarchy = "created_at"
    actions = ("cancel",)

    read_by = text_column("reader", gettext_lazy("Read by"))
    has_cancel_permission = permitted("finance.change_exportjob")
    cancel = action_on_each(
        lambda job, by: export_jobs.cancel_export(job_id=job.pk, by=by),
        label=gettext_lazy("Cancel and delete the file"),
        message=gettext_lazy("Cancelled"),
        permission="cancel",
    )
