"""Pages of the admin on which nothing can be added, changed or deleted."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from core.secret_fields import SecretsUnsought


class LookOnly(SecretsUnsought):
    """Even a superuser only looks."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
