from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as PlainGroupAdmin
from django.contrib.auth.admin import UserAdmin as PlainUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm

from players.models import User

admin.site.unregister(Group)
# It would show and change the secrets of second factors, other people's included.
admin.site.unregister(Authenticator)


class PlayerCreationForm(AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "handle")


@admin.register(User)
class UserAdmin(PlainUserAdmin, ModelAdmin):
    """Players are closed, never deleted: their games and money stay on record."""

    form = UserChangeForm
    add_form = PlayerCreationForm
    change_password_form = AdminPasswordChangeForm
    ordering = ("-date_joined",)
    list_display = ("handle", "email", "country", "is_bot", "is_guest", "is_staff", "date_joined")
    list_filter = ("is_bot", "is_guest", "is_staff", "is_active", "country")
    search_fields = ("handle", "email", "public_id")
    readonly_fields = ("public_id", "is_bot", "is_guest", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("handle", "email", "password", "public_id")}),
        ("Person", {"fields": ("birth_date", "country", "region", "time_zone", "language")}),
        ("State", {"fields": ("is_active", "is_guest", "is_bot", "consent_version")}),
        ("Rights", {"fields": ("is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("date_joined", "last_login")}),
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

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(Group)
class GroupAdmin(PlainGroupAdmin, ModelAdmin):
    pass
