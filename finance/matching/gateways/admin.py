"""Admin of gateway files: upload, and a page that compares them with the ledger."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin.edit_pages import CreateOnlyAdmin, action_on_each, permitted
from core.admin.links import link, text_column
from finance.exceptions import BadFile
from finance.matching.gateways.actions import BYTES_MAX, keep_file
from finance.matching.gateways.files import read_file
from finance.matching.gateways.pages import compare_with_ledger
from finance.matching.gateways.settlements import request_settlements
from finance.matching.models import GatewayFile
from players.accounts.models import User

# The number of a file's bad lines shown on the form.
BAD_LINES_SHOWN = 20


class UploadForm(forms.ModelForm[GatewayFile]):
    """Uploads a gateway file; sets `body` when it is valid."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=200,
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".csv,text/csv"}),
        help_text=gettext_lazy("CSV downloaded from the gateway, at most 20 MB."),
    )

    body: bytes

    class Meta:
        model = GatewayFile
        fields = ("provider",)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            sent = cast("UploadedFile[bytes]", cleaned["file"])
            self.body = sent.read(BYTES_MAX + 1)
            try:
                if len(self.body) > BYTES_MAX:
                    raise BadFile(f"the file is larger than {BYTES_MAX} bytes")
                read_file(provider=cleaned["provider"], body=self.body)
            except BadFile as refusal:
                self.add_error("file", bad_lines_as_text(refusal))
        return cleaned


@admin.register(GatewayFile)
class GatewayFileAdmin(CreateOnlyAdmin):
    """Uploaded gateway files; the same bytes again are the same file."""

    form = UploadForm
    list_display = (
        "name",
        "provider",
        "shape",
        "line_count",
        "first_day",
        "last_day",
        "uploader",
        "uploaded_at",
        "against_ledger",
        "sha256",
    )
    list_filter = ("provider", "shape")
    list_select_related = ("uploaded_by", "staff")
    search_fields = ("=sha256", "name")
    date_hierarchy = "uploaded_at"
    show_full_result_count = False
    actions = ("request_settlements",)

    has_ask_permission = permitted("wallet.add_gatewaysettlement")
    request_settlements = action_on_each(
        lambda file, by: request_settlements(file_id=file.pk, by=by),
        label=gettext_lazy("Request its settlements"),
        message=gettext_lazy("Requested the settlements of"),
        permission="ask",
    )

    def get_fields(self, request: HttpRequest, obj: GatewayFile | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("provider", "file")
        fields = ("provider", "shape", "name", "line_count", "passed_over", "first_day", "last_day")
        return (*fields, "uploader", "uploaded_at", "sha256", "against_ledger")

    def save_model(self, request: HttpRequest, obj: GatewayFile, form: Any, change: bool) -> None:
        sent = cast("UploadedFile[bytes]", form.cleaned_data["file"])
        file, is_new = keep_file(
            provider=obj.provider,
            name=sent.name or "",
            body=form.body,
            uploaded_by=cast(User, request.user),
        )
        obj.pk, obj.name = file.pk, file.name
        if not is_new:
            messages.warning(request, _("This file was uploaded before."))

    def response_add(self, request: HttpRequest, obj: GatewayFile, *rest: Any) -> HttpResponse:
        """Redirect to the reconciliation page of the new file."""
        answer: HttpResponse = super().response_add(request, obj, *rest)
        if "_addanother" not in request.POST:
            answer["Location"] = reverse("admin:finance_gatewayfile_reconciliation", args=[obj.pk])
        return answer

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.reconciliation_view)
        name = "finance_gatewayfile_reconciliation"
        return [path("<int:pk>/reconciliation/", view, name=name), *super().get_urls()]

    def reconciliation_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the sums of a file and the ledger, and the rows that differ."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        file = get_object_or_404(GatewayFile, pk=pk)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Gateway reconciliation"),
            "file": file,
            "comparison": compare_with_ledger(file),
        }
        return TemplateResponse(request, "admin/finance/reconciliation.html", context)

    uploader = text_column("uploader", gettext_lazy("Uploaded by"))

    @admin.display(description=gettext_lazy("Reconciliation"))
    def against_ledger(self, file: GatewayFile) -> str:
        url = reverse("admin:finance_gatewayfile_reconciliation", args=[file.pk])
        return link(url, _("show matches"))


def bad_lines_as_text(refusal: BadFile) -> list[str]:
    """Return the error of a file, then the errors of its lines."""
    bad = cast(list[dict[str, Any]], refusal.details["lines"])
    lines = [_("Line %(line)s: %(message)s (%(code)s)") % one for one in bad[:BAD_LINES_SHOWN]]
    return [f"{refusal} ({refusal.code})", *lines]
