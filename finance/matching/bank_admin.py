"""Admin of bank statements: upload, and a page with the match of each line."""

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

from core.admin.edit_pages import CreateOnlyAdmin
from core.admin.links import link, text_column
from finance.exceptions import BadFile
from finance.matching.actions import BYTES_MAX, check_statement, keep_statement
from finance.matching.bank_models import BankStatement
from finance.matching.gateways.admin import bad_lines_as_text
from finance.matching.matches import CREDIT, MATCHED
from finance.matching.report import rows
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question
from players.accounts.models import User
from wallet.ledger.admin_columns import amount_column

ROWS_SHOWN = 500


class StatementForm(forms.ModelForm[BankStatement]):
    """Uploads a statement; sets `body` when it is valid."""

    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=200,
        widget=UnfoldAdminFileFieldWidget(),
        help_text=gettext_lazy(
            "MT940, CAMT.053, or CSV with the columns date, text, and amount or debit and "
            "credit; at most 20 MB."
        ),
    )

    body: bytes

    class Meta:
        model = BankStatement
        fields = ()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            self.body = cast("UploadedFile[bytes]", cleaned["file"]).read(BYTES_MAX + 1)
            try:
                check_statement(self.body)
            except BadFile as refusal:
                self.add_error("file", bad_lines_as_text(refusal))
        return cleaned


@admin.register(BankStatement)
class BankStatementAdmin(CreateOnlyAdmin):
    """Uploaded bank statements; the same bytes again are the same statement."""

    form = StatementForm
    list_display = (
        "name",
        "currency",
        "line_count",
        "first_day",
        "last_day",
        "uploader",
        "uploaded_at",
        "matching",
    )
    list_filter = ("currency",)
    list_select_related = ("uploaded_by", "staff")
    search_fields = ("=sha256", "name", "lines__text")
    date_hierarchy = "uploaded_at"
    show_full_result_count = False

    def get_fields(self, request: HttpRequest, obj: BankStatement | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("file",)
        fields = ("name", "currency", "line_count", "first_day", "last_day", "closing")
        return (*fields, "uploader", "uploaded_at", "sha256", "matching")

    def save_model(self, request: HttpRequest, obj: BankStatement, form: Any, change: bool) -> None:
        sent = cast("UploadedFile[bytes]", form.cleaned_data["file"])
        statement, is_new = keep_statement(
            name=sent.name or "", body=form.body, uploaded_by=cast(User, request.user)
        )
        obj.pk, obj.name = statement.pk, statement.name
        if not is_new:
            messages.warning(request, _("This statement was uploaded before."))

    def response_add(self, request: HttpRequest, obj: BankStatement, *rest: Any) -> HttpResponse:
        """Redirect to the matching page of the new statement."""
        answer: HttpResponse = super().response_add(request, obj, *rest)
        if "_addanother" not in request.POST:
            answer["Location"] = reverse("admin:finance_bankstatement_matching", args=[obj.pk])
        return answer

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.matching_view)
        name = "finance_bankstatement_matching"
        return [path("<int:pk>/matching/", view, name=name), *super().get_urls()]

    def matching_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show each line with its payout or settlement, unmatched lines first."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        statement = get_object_or_404(BankStatement, pk=pk)
        period = Period.asked(None, None, SITE_ZONE)
        found = rows(Question.asked(period, file=statement.sha256))
        found.sort(key=lambda row: row["outcome"] in (MATCHED, CREDIT))
        context = {
            **self.admin_site.each_context(request),
            "title": _("Bank reconciliation"),
            "statement": statement,
            "rows": found[:ROWS_SHOWN],
            "unmatched": sum(row["outcome"] != MATCHED for row in found),
            "more": max(0, len(found) - ROWS_SHOWN),
        }
        return TemplateResponse(request, "admin/finance/bank_matching.html", context)

    uploader = text_column("uploader", gettext_lazy("Uploaded by"))
    closing = amount_column("closing_minor", gettext_lazy("Closing balance"))

    @admin.display(description=gettext_lazy("Reconciliation"))
    def matching(self, statement: BankStatement) -> str:
        url = reverse("admin:finance_bankstatement_matching", args=[statement.pk])
        return link(url, _("show matches"))
