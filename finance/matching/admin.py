"""Admin of the files of gateways and banks: upload, and a page that compares them."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget

from core.admin.edit_pages import (
    CreateOnlyAdmin,
    action_on_each,
    permitted,
    refusals_as_messages,
)
from core.admin.links import link, text_column
from finance.exceptions import BadFile
from finance.matching import actions
from finance.matching.actions import BYTES_MAX, Stored, check_file, check_statement, explain_rows
from finance.matching.comparison import compare_bank, compare_with_ledger
from finance.matching.gateways.settlements import request_settlements
from finance.matching.layouts.reading import layout_readers, reader_named
from finance.matching.models import BankStatement, GatewayFile
from players.accounts.models import User
from wallet.ledger.admin_columns import amount_column

# The number of a file's bad lines shown on the form.
BAD_LINES_SHOWN = 20
REASON_MAX = 200


class UploadForm(forms.ModelForm[Any]):
    """Uploads a file; sets `body` when it is valid."""

    file = forms.FileField(
        label=gettext_lazy("File"), max_length=200, widget=UnfoldAdminFileFieldWidget()
    )

    body: bytes

    def check_body(self, cleaned: dict[str, Any]) -> object:
        """Read `body`; raise `BadFile` if it cannot be stored."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            self.body = cast("UploadedFile[bytes]", cleaned["file"]).read(BYTES_MAX + 1)
            try:
                self.check_body(cleaned)
            except BadFile as refusal:
                self.add_error("file", faults_as_text(refusal))
        return cleaned


class GatewayFileForm(UploadForm):
    class Meta:
        model = GatewayFile
        fields = ("provider",)

    def check_body(self, cleaned: dict[str, Any]) -> object:
        return check_file(provider=cleaned["provider"], body=self.body)


def layout_choices() -> list[tuple[str, Any]]:
    """Return the layouts of CSV, after the choice to recognize the file."""
    layouts = [(one.layout.name, one.layout.title) for one in layout_readers()]
    return [("", gettext_lazy("Recognized by its headings")), *layouts]


class StatementForm(UploadForm):
    layout = forms.ChoiceField(
        label=gettext_lazy("Layout of a CSV file"),
        choices=layout_choices,
        required=False,
        widget=UnfoldAdminSelectWidget(),
        help_text=gettext_lazy("For another bank, first add a layout under Layouts of banks' CSV."),
    )

    class Meta:
        model = BankStatement
        fields = ()

    def check_body(self, cleaned: dict[str, Any]) -> object:
        return check_statement(self.body, reader=reader_named(cleaned["layout"]))


GatewayFileForm.base_fields["file"].help_text = gettext_lazy(
    "CSV downloaded from the gateway, at most 20 MB."
)
StatementForm.base_fields["file"].help_text = gettext_lazy(
    "MT940, CAMT.053, CSV of a bank whose layout is known, or CSV with the columns date, text, and "
    "amount or debit and credit; at most 20 MB."
)


class UploadAdmin(CreateOnlyAdmin):
    """Uploaded files; the same bytes again are the same file."""

    # The name and template of the page that shows a file's matches.
    page: ClassVar[str]
    template: ClassVar[str]
    title: ClassVar[Any]
    shown: ClassVar[tuple[str, ...]]
    asked: ClassVar[tuple[str, ...]] = ("file",)

    list_select_related = ("uploaded_by", "staff")
    date_hierarchy = "uploaded_at"
    show_full_result_count = False

    def keep(self, obj: Any, cleaned: dict[str, Any], **sent: Any) -> Stored[Any]:
        """Store the file of a valid form."""
        raise NotImplementedError

    def comparison(self, obj: Any) -> dict[str, Any]:
        """Return the context of the page of matches."""
        raise NotImplementedError

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> tuple[str, ...]:
        if obj is None:
            return self.asked
        return (*self.shown, "uploader", "uploaded_at", "sha256", "matching")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        sent = cast("UploadedFile[bytes]", form.cleaned_data["file"])
        stored = self.keep(
            obj,
            form.cleaned_data,
            name=sent.name or "",
            body=form.body,
            uploaded_by=cast(User, request.user),
        )
        obj.pk, obj.name = stored.row.pk, stored.row.name
        if not stored.is_new:
            messages.warning(request, _("This file was uploaded before."))
        for warning in stored.warnings:
            messages.warning(request, warning)

    def response_add(self, request: HttpRequest, obj: Any, *rest: Any) -> HttpResponse:
        """Redirect to the page of the file's matches."""
        answer: HttpResponse = super().response_add(request, obj, *rest)
        if "_addanother" not in request.POST:
            answer["Location"] = reverse(f"admin:{self._page_name}", args=[obj.pk])
        return answer

    @property
    def _page_name(self) -> str:
        return f"finance_{self.opts.model_name}_{self.page}"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.matching_view)
        return [path(f"<int:pk>/{self.page}/", view, name=self._page_name), *super().get_urls()]

    def matching_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show a file beside the ledger, differences first."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        obj = get_object_or_404(self.model, pk=pk)
        if request.method == "POST":
            return self.answer(request, obj)
        context = {
            **self.admin_site.each_context(request),
            "title": self.title,
            "may_explain": request.user.has_perm("finance.add_bankexplanation"),
            **self.comparison(obj),
        }
        return TemplateResponse(request, self.template, context)

    def answer(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Respond to the form of the page of matches."""
        raise PermissionDenied

    uploader = text_column("uploader", gettext_lazy("Uploaded by"))

    @admin.display(description=gettext_lazy("Reconciliation"))
    def matching(self, obj: models.Model) -> str:
        return link(reverse(f"admin:{self._page_name}", args=[obj.pk]), _("show matches"))


@admin.register(GatewayFile)
class GatewayFileAdmin(UploadAdmin):
    """Uploaded gateway files."""

    form = GatewayFileForm
    page, template = "reconciliation", "admin/finance/reconciliation.html"
    title = gettext_lazy("Gateway reconciliation")
    asked = ("provider", "file")
    shown = ("provider", "shape", "name", "line_count", "passed_over", "first_day", "last_day")
    list_display = (
        *("name", "provider", "shape", "line_count", "first_day", "last_day"),
        *("uploader", "uploaded_at", "matching"),
    )
    list_filter = ("provider", "shape")
    search_fields = ("=sha256", "name")
    actions = ("request_settlements",)

    has_ask_permission = permitted("wallet.add_gatewaysettlement")
    request_settlements = action_on_each(
        lambda file, by: request_settlements(file_id=file.pk, by=by),
        label=gettext_lazy("Request its settlements"),
        message=gettext_lazy("Requested the settlements of"),
        permission="ask",
    )

    def keep(self, obj: GatewayFile, cleaned: dict[str, Any], **sent: Any) -> Stored[GatewayFile]:
        return actions.keep_file(provider=obj.provider, **sent)

    def comparison(self, obj: GatewayFile) -> dict[str, Any]:
        return {"file": obj, "comparison": compare_with_ledger(obj)}


@admin.register(BankStatement)
class BankStatementAdmin(UploadAdmin):
    """Uploaded bank statements, one row for each account."""

    form = StatementForm
    asked = ("file", "layout")
    page, template = "matching", "admin/finance/bank_matching.html"
    title = gettext_lazy("Bank reconciliation")
    shown = (
        *("name", "format", "account", "currency", "line_count", "first_day", "last_day"),
        *("opening", "closing"),
    )
    list_display = (
        *("name", "account", "currency", "line_count", "first_day", "last_day", "closing"),
        *("uploader", "uploaded_at", "matching"),
    )
    list_filter = ("account", "currency")
    search_fields = ("=sha256", "name", "lines__text")

    def keep(
        self, obj: BankStatement, cleaned: dict[str, Any], **sent: Any
    ) -> Stored[BankStatement]:
        return actions.keep_statement(reader=reader_named(cleaned["layout"]), **sent)

    def comparison(self, obj: BankStatement) -> dict[str, Any]:
        return {"statement": obj, "comparison": compare_bank(obj)}

    def answer(self, request: HttpRequest, obj: BankStatement) -> HttpResponse:
        if not request.user.has_perm("finance.add_bankexplanation"):
            raise PermissionDenied
        with refusals_as_messages(request):
            number = explain_rows(
                statement_id=obj.pk,
                keys=set(request.POST.getlist("row")),
                reason=request.POST.get("reason", "")[:REASON_MAX],
                by=cast(User, request.user),
            )
            message = ngettext("%(n)d row explained.", "%(n)d rows explained.", number)
            messages.success(request, message % {"n": number})
        return redirect(f"admin:{self._page_name}", obj.pk)

    opening = amount_column("opening_minor", gettext_lazy("Opening balance"))
    closing = amount_column("closing_minor", gettext_lazy("Closing balance"))


def faults_as_text(refusal: BadFile) -> list[str]:
    """Return the error of a file, then each fault: where it is and what was expected."""
    first = f"{refusal} ({refusal.code})"
    return [first, *(_fault(one._asdict()) for one in refusal.lines[:BAD_LINES_SHOWN])]


def _fault(one: dict[str, str]) -> str:
    one = {**one, "position": one["position"][:1].upper() + one["position"][1:]}
    if not one["expected"]:
        return _("%(position)s: %(message)s (%(code)s)") % one
    return _("%(position)s: %(message)s; expected: %(expected)s (%(code)s)") % one
