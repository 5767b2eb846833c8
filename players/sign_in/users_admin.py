"""Admin of users, groups, permissions, e-mail addresses and sessions."""

from __future__ import annotations

from typing import Any, cast

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as PlainGroupAdmin
from django.contrib.auth.admin import UserAdmin as PlainUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm
from unfold.widgets import UnfoldAdminSelectWidget

from core import audit_log
from core.admin.audited_forms import AuditedAdmin
from core.admin.edit_pages import action_on_each, permitted, refusals_as_messages
from core.admin.links import link, tag
from core.admin.read_only import ReadOnlyAdmin
from players.accounts import places
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.forms import RegionField
from players.accounts.models import User
from players.accounts.places import present_code, region_code
from players.eligibility.places import regions
from players.identity.states import was_ever_verified
from players.sign_in import actions as sign_ins
from players.sign_in.enrolment import may_get_link, send_link
from players.sign_in.security.changes import record_change
from players.sign_in.security.models import AccountChange
from players.sign_in.security.proof import ask_for_proof, is_proved, require_proof
from players.sign_in.security.views import proved_action

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
# Fields that control sign-in and permissions; changes need re-authentication.
SIGN_IN = {"email", *RIGHTS}
PERSON = ("birth_date", "country", "region", "time_zone", "language")
STATE = ("is_active", "is_guest", "is_bot", "consent_version")
OF_A_PLAYER: tuple[tuple[Any, Any], ...] = (
    (None, {"fields": ("handle", "email", "public_id")}),
    (gettext_lazy("Person"), {"fields": PERSON}),
    (gettext_lazy("State"), {"fields": STATE}),
    (gettext_lazy("Dates"), {"fields": ("date_joined", "last_login")}),
)

admin.site.unregister(Group)


class PlayerCreationForm(AdminUserCreationForm[User]):
    class Meta:
        model = User
        fields = ("email", "handle")


class PlayerChangeForm(UserChangeForm):
    """Change form with country and region by name; an unlisted current code is kept."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["region"] = present_code(self.instance.country, self.instance.region)
        chosen = (
            ("country", places.countries(), forms.ChoiceField),
            ("region", regions.regions(), RegionField),
        )
        for name, listed, field in chosen:
            if name in self.fields:
                held = self.initial[name]
                more = [] if held in dict(listed) else [(held, held)]
                self.fields[name] = field(
                    label=self.fields[name].label,
                    required=False,
                    choices=[("", "-"), *(choice for choice in more if held), *listed],
                    widget=UnfoldAdminSelectWidget(),
                )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        country, region = cleaned.get("country", ""), cleaned.get("region", "")
        moves = {"region", "country"} & {*self.changed_data}
        if moves and region:
            cleaned["region"] = region_code(country, region)
            if not cleaned["region"]:
                self.add_error("region", gettext("Choose a region of the selected country."))
        return cleaned


@admin.register(User)
class UserAdmin(AuditedAdmin, PlainUserAdmin[User], ModelAdmin):
    """Admin of players. Accounts are closed, never deleted, as other rows refer to them."""

    form = PlayerChangeForm
    add_form = PlayerCreationForm
    change_password_form = AdminPasswordChangeForm
    ordering = ("-date_joined",)
    list_display = ("handle", "kinds", "email", "place", "date_joined", "desk")
    change_form_outer_before_template = "admin/staff/player_link.html"
    list_filter = ("is_bot", "is_guest", "is_staff", "is_active", "country")
    search_fields = ("handle", "email", "public_id")
    readonly_fields = ("public_id", "is_bot", "is_guest", "date_joined", "last_login")
    fieldsets = (
        *OF_A_PLAYER[:-1],
        (gettext_lazy("Rights"), {"fields": RIGHTS}),
        OF_A_PLAYER[-1],
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("email", "handle", "usable_password", "password1", "password2"),
            },
        ),
    )

    actions = ("take_factor_off",)

    @admin.display(description=gettext_lazy("Place"), ordering="country")
    def place(self, player: User) -> str:
        return player.place or "-"

    @admin.display(description=gettext_lazy("Kind"))
    def kinds(self, player: User) -> str:
        """Return tags of accounts that are not those of active players."""
        tags = (
            (player.is_bot, gettext("bot"), ""),
            (player.is_guest, gettext("guest"), ""),
            (player.is_staff, gettext("staff"), "warn"),
            (not player.is_active, gettext("blocked or closed"), "bad"),
        )
        shown = ((tag(text, tone),) for applies, text, tone in tags if applies)
        return format_html_join(" ", "{}", shown) or gettext("player")

    @admin.display(description=gettext_lazy("Desk"))
    def desk(self, player: User) -> str:
        return link(reverse("player-desk", args=[player.pk]), gettext("Games, money, limits"))

    def has_superuser_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    take_factor_off = proved_action(
        action_on_each(
            lambda player, by: sign_ins.remove_second_factor(player_id=player.pk, by=by),
            label=gettext_lazy("Remove lost second factor"),
            message=gettext_lazy("Second factor removed"),
            permission="superuser",
        )
    )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        by, changed = cast(User, request.user), {*form.changed_data}
        if change:
            refuse_own_interest(obj, by=by)
            if changed & SIGN_IN:
                require_proof(request)
        super().save_model(request, obj, form, change)
        if change and "email" in changed:
            kind, email = AccountChange.Kind.EMAIL_PRIMARY, obj.email or ""
            record_change(player=obj, kind=kind, subject=email, by_staff=True, but_not=[email])
        if changed & {"is_staff", "email"} and settings.STAFF_MFA_REQUIRED and may_get_link(obj):
            send_link(player=obj, by=by)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Allow only superusers to change staff accounts, because a change could take one over."""
        if obj is not None and obj.is_staff and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Show permissions and password only to superusers."""
        if obj is None or request.user.is_superuser:
            return super().get_fieldsets(request, obj)
        return OF_A_PLAYER

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        theirs = () if request.user.is_superuser else ("email", "is_active", "consent_version")
        # A birth date verified by a document is read-only.
        seen = ("birth_date",) if obj and was_ever_verified(obj) else ()
        return (*self.readonly_fields, *theirs, *seen)

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002  Django's name.
        form_url: str = "",
    ) -> HttpResponse:
        if not request.user.is_superuser:
            raise PermissionDenied
        if not is_proved(request):
            return ask_for_proof(request, back_to=request.get_full_path())
        with refusals_as_messages(request), transaction.atomic():
            if request.method == "POST":
                refuse_own_interest(User.objects.filter(pk=id).first(), by=request.user)
            held = User.objects.filter(pk=id).values_list("password", flat=True).first()
            answer: HttpResponse = super().user_change_password(request, id, form_url)
            self._record_password(request, id, held)
            return answer
        return HttpResponseRedirect(request.get_full_path())

    def _record_password(self, request: HttpRequest, pk: str, held: str | None) -> None:
        """Record in the audit log that the password was set, without the password."""
        row = User.objects.filter(pk=pk).first()
        if row is not None and row.password != held:
            by, before = cast(User, request.user), audit_log.facts(row)
            audit_log.record(by=by, act="set_password", row=row, before=before, about=row)
            record_change(player=row, kind=AccountChange.Kind.PASSWORD_SET, by_staff=True)


@admin.register(Group)
class GroupAdmin(AuditedAdmin, PlainGroupAdmin, ModelAdmin):
    """Admin of roles. A migration creates the default roles; only superusers change them."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


# allauth's admin pages would show secrets: session keys and second factors.
for model in (EmailAddress, UserSession, Authenticator):
    admin.site.unregister(model)


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadOnlyAdmin):
    list_display = ("email", "user", "primary", "verified")
    list_filter = ("primary", "verified")
    list_select_related = ("user",)
    search_fields = ("email", "user__handle")
    fields = list_display


@admin.register(UserSession)
class UserSessionAdmin(ReadOnlyAdmin):
    """The sessions of players; ending one signs the player out there."""

    list_display = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    list_select_related = ("user",)
    search_fields = ("user__handle", "user__email", "=ip")
    date_hierarchy = "created_at"
    fields = list_display
    actions = ("end",)

    has_end_permission = permitted("players.end_session")

    end = action_on_each(
        lambda session, by: sign_ins.end_session(session_id=session.pk, by=by),
        label=gettext_lazy("End session"),
        message=gettext_lazy("Signed out"),
        permission="end",
    )
