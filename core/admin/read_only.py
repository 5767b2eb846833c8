"""Read-only pages of the admin."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from core.secret_fields import ProtectedLookupsAdmin


class ReadOnlyAdmin(ProtectedLookupsAdmin):
    """Deny adding, changing and deleting, to superusers as well."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
