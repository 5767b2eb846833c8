"""Admin pages of e-mail addresses, which are read-only, and of sessions, which staff can end."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.utils.translation import gettext_lazy

from core.admin.edit_pages import action_on_each, permitted
from core.admin.read_only import ReadOnlyAdmin
from players.sign_in import actions as sign_ins

# allauth's admin pages would show secrets: session keys and second factors.
for model in (EmailAddress, UserSession, Authenticator):
    admin.site.unregister(model)


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadOnlyAdmin):
    list_display = ("email", "user", "primary", "verified")
    list_filter = ("primary", "verified")
    list_select_related = ("user",)
    search_fields = ("email", "user__handle")
    fields = ("email", "user", "primary", "verified")


@admin.register(UserSession)
class UserSessionAdmin(ReadOnlyAdmin):
    """The sessions of players; ending one signs the player out there."""

    list_display = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    list_select_related = ("user",)
    search_fields = ("user__handle", "user__email", "=ip")
    date_hierarchy = "created_at"
    fields = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    actions = ("end",)

    has_end_permission = permitted("players.end_session")

    end = action_on_each(
        lambda session, by: sign_ins.end_session(session_id=session.pk, by=by),
        label=gettext_lazy("End session"),
        message=gettext_lazy("Signed out"),
        permission="end",
    )
