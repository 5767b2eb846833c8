"""Read-only pages of the admin, and lookups that do not reveal secret columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

from core.audit_log import SECRETS

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    Base = ModelAdmin[Any]
else:
    Base = object


class ProtectedLookupsAdmin(Base):
    """Mixin for a `ModelAdmin` that refuses lookups on secret columns.

    With `?session_key__startswith=a` a user of the list could guess a key letter by letter.
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        if not SECRETS.isdisjoint(lookup.split("__")):
            return False
        return bool(super().lookup_allowed(lookup, value, request))  # type: ignore[arg-type]


class ReadOnlyAdmin(ProtectedLookupsAdmin):
    """Deny adding, changing and deleting, to superusers as well."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
