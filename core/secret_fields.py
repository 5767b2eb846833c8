"""Columns nobody may read, not even in a record of their change, nor guess at by filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.http import HttpRequest

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    Base = ModelAdmin[Any]
else:
    Base = object

SECRETS: Final = frozenset({"password", "digest", "session_key", "encrypted_payee"})


class SecretsUnsought(Base):
    """Put before a `ModelAdmin`: a list is not filtered by what it does not show.

    An address like `?session_key__startswith=a` would tell the key of somebody's session letter by
    letter to whoever may see the list.
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        if not SECRETS.isdisjoint(lookup.split("__")):
            return False
        return bool(super().lookup_allowed(lookup, value, request))  # type: ignore[arg-type]
