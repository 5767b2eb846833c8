"""Finance's tokens in the admin."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from core.secret_fields import ProtectedLookupsAdmin
from finance.exports.catalogue import SCOPES
from finance.tokens import actions as finance_tokens
from finance.tokens.models import FinanceToken
from players.accounts.models import User
from players.security.proof import ask_for_proof, is_proved
from players.security.views import proved_action


@admin.register(FinanceToken)
class FinanceTokenAdmin(ProtectedLookupsAdmin, ModelAdmin):
    """A token is made and revoked here, never changed; its text is shown once, when made."""

    list_display = ("name", "prefix", "opens", "expires_at", "last_used_at", "revoked_at")
    list_filter = ("revoked_at",)
    search_fields = ("name", "prefix")
    fields = ("name", "scopes", "expires_at")
    actions = ("revoke",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("finance.change_financetoken")

    @admin.display(description=gettext_lazy("Reports"))
    def opens(self, token: FinanceToken) -> str:
        return ", ".join(token.scopes)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "scopes":
            return forms.MultipleChoiceField(
                choices=list(SCOPES.items()),
                widget=UnfoldAdminCheckboxSelectMultipleWidget,
                help_text=gettext_lazy("The reports this token opens."),
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        lifetime = timedelta(days=finance_tokens.LIFETIME_DAYS)
        return {"expires_at": timezone.now() + lifetime}

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
        messages.warning(request, f"Copy the token now, it is not shown again: {text}")

    @proved_action
    @admin.action(description=gettext_lazy("Revoke"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[FinanceToken]) -> None:
        for token in tokens:
            finance_tokens.revoke_token(token=token, by=cast(User, request.user))
