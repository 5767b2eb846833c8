"""Read-only admin of daily closes and exports."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from core.admin.edit_pages import CreateOnlyAdmin, action_on_each, approval, permitted
from core.admin.links import clipped_column, link, text_column
from core.admin.read_only import ProtectedLookups, ReadOnlyAdmin, ReadOnlyInline
from core.clock import database_now
from finance.reports.catalogue import SCOPES
from finance.reports.exports import jobs as export_jobs
from finance.reports.exports.models import Export, ExportJob
from finance.reports.frame.models import DailyClose, DailyTotal
from finance.tokens import actions as finance_tokens
from finance.tokens.models import LIFETIME, PERSONAL_SCOPES, FinanceToken
from players.accounts.models import User
from players.sign_in.security.proof import ask_for_proof, is_proved
from players.sign_in.security.views import proved_action
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


@admin.register(FinanceToken)
class FinanceTokenAdmin(ProtectedLookups, CreateOnlyAdmin):
    """Create, approve and revoke tokens; their text is shown once.

    A token for reports with personal data is approved by another person than created it.
    """

    list_display = (
        "name",
        "prefix",
        "opens",
        "state",
        "created_by",
        "approved_by",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )
    list_filter = ("revoked_at",)
    list_select_related = ("created_by", "approved_by")
    search_fields = ("name", "prefix")
    fields = ("name", "scopes", "expires_at")
    # Shown for a token that exists.
    decision = ("created_by", "created_at", "approved_by", "approved_at", "revoked_at")
    actions = ("approve", "revoke")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.fields
        return ("name", "prefix", "scopes", "state", *self.decision, "expires_at", "last_used_at")

    has_revoke_permission = permitted("finance.change_financetoken")
    has_check_permission = permitted("finance.check_financetoken")

    @admin.display(description=gettext_lazy("State"))
    def state(self, token: FinanceToken) -> str:
        if token.revoked_at is not None:
            return gettext("Revoked")
        if token.expires_at <= database_now():
            return gettext("Expired")
        return gettext("Waiting for a second person") if token.needs_approval else gettext("Valid")

    @admin.display(description=gettext_lazy("Reports"))
    def opens(self, token: FinanceToken) -> str:
        return ", ".join(token.scopes)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "scopes":
            return forms.MultipleChoiceField(
                choices=[(scope, _label(scope)) for scope in SCOPES],
                widget=UnfoldAdminCheckboxSelectMultipleWidget,
                help_text=gettext_lazy("Reports that this token can read."),
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"expires_at": database_now() + LIFETIME}

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if self.has_add_permission(request) and not is_proved(request):
            return ask_for_proof(request, back_to=request.get_full_path())
        return super().add_view(request, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: FinanceToken, form: Any, change: bool) -> None:
        token, text = finance_tokens.create_token(
            name=obj.name,
            scopes=obj.scopes,
            created_by=cast(User, request.user),
            expires_at=obj.expires_at,
        )
        obj.pk, obj.prefix = token.pk, token.prefix
        shown = gettext("Copy the token now. It is not shown again: %(token)s") % {"token": text}
        messages.warning(request, shown)
        if token.needs_approval:
            pending = gettext("The token becomes valid when a second person approves it.")
            messages.warning(request, pending)

    approve = proved_action(
        approval(lambda token, by: finance_tokens.approve_token(token_id=token.pk, by=by))
    )
    revoke = proved_action(
        action_on_each(
            lambda token, by: finance_tokens.revoke_token(token=token, by=by),
            label=gettext_lazy("Revoke"),
            message=gettext_lazy("Revoked"),
            permission="revoke",
        )
    )


def _label(scope: str) -> str:
    if scope not in PERSONAL_SCOPES:
        return SCOPES[scope]
    return gettext("%(report)s (a second person approves it)") % {"report": SCOPES[scope]}
