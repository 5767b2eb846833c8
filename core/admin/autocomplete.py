"""Autocomplete fields of the admin that survive impossible keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.contrib.admin.widgets import AutocompleteSelect
from django.http import HttpRequest

KEY_MAX: Final = 2**63 - 1


class KnownRowSelect(AutocompleteSelect):
    """Show the selected row, and nothing for a value that cannot be a primary key.

    Django's widget queries such a value when it renders the form's errors, and fails.
    """

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(name, [key for key in value if _may_be_key(key)], attr)


class AutocompleteAdmin:
    """Mixin for a `ModelAdmin` with `autocomplete_fields`."""

    admin_site: Any
    get_autocomplete_fields: Any

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = KnownRowSelect(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(  # type: ignore[misc]
            db_field, request, **kwargs
        )


def _may_be_key(text: str) -> bool:
    if not text:
        return True
    is_plain = text.isascii() and text.isdecimal() and len(text) <= len(str(KEY_MAX))
    return is_plain and int(text) <= KEY_MAX
