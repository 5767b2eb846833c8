"""Admin pages of e-mail addresses, which are read-only, and of sessions, which staff can end."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.edit_pages import action_on_each
from core.admin.read_only import ReadOnlyAdmin
from players.sign_in import actions as sign_ins

# allauth's admin pages would show secrets: session keys and second factors.
for model in (EmailAddress, UserSession, Authenticator):
    admin.site.unregister(model)


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("email", "user", "primary", "verified")
    list_filter = ("primary", "verified")
    list_select_related = ("user",)
    search_fields = ("email", "user__handle")
    fields = ("email", "user", "primary", "verified")


@admin.register(UserSession)
class UserSessionAdmin(ReadOnlyAdmin, ModelAdmin):
    """The sessions of players; ending one signs the player out there."""

    list_display = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    list_select_related = ("user",)
    search_fields = ("user__handle", "user__email", "=ip")
    date_hierarchy = "created_at"
    fields = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    actions = ("end",)

    def has_end_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("players.end_session")

    end = action_on_each(
        lambda session, by: sign_ins.end_session(session_id=session.pk, by=by),
        label=gettext_lazy("End session"),
        message=gettext_lazy("Signed out"),
        permission="end",
    )
