"""Secret columns, excluded from the audit log and the admin's filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.http import HttpRequest

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    Base = ModelAdmin[Any]
else:
    Base = object

SECRETS: Final = frozenset(
    {
        "password",
        "digest",
        "session_key",
        "encrypted_payee",
        "payee_hash",
        "encrypted_content",
        "number_hash",
        "code_hash",
    }
)


class ProtectedLookupsAdmin(Base):
    """Mixin for a `ModelAdmin` that refuses lookups on secret columns.

    With `?session_key__startswith=a` a user of the list could guess a key letter by letter.
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        if not SECRETS.isdisjoint(lookup.split("__")):
            return False
        return bool(super().lookup_allowed(lookup, value, request))  # type: ignore[arg-type]
