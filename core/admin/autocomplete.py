"""Autocomplete fields of the admin with unambiguous labels, which accept invalid keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import Model
from django.forms import ModelChoiceField
from django.http import HttpRequest

KEY_MAX: Final = 2**63 - 1


def picker_label(row: Model) -> str:
    """Return a row's label in autocomplete fields: its `picker_label` if it has one, else its text.

    Two players may have similar names, and money goes to the one picked.
    """
    return str(getattr(row, "picker_label", row))


class PickerView(AutocompleteJsonView):
    """Return the rows that match the search, each with its `picker_label`."""

    def serialize_result(self, obj: Model, to_field_name: str) -> dict[str, str]:
        return super().serialize_result(obj, to_field_name) | {"text": picker_label(obj)}


class PickerField(ModelChoiceField[Any]):
    def label_from_instance(self, obj: Model) -> str:
        return picker_label(obj)


class KnownRowSelect(AutocompleteSelect):
    """A select that shows the selected row, or nothing for an invalid primary key.

    Django's widget fails when it queries such a value to render the form's errors.
    """

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(name, [key for key in value if _may_be_key(key)], attr)


class AutocompleteAdmin:
    """Mixin for a `ModelAdmin` with `autocomplete_fields`."""

    admin_site: Any
    get_autocomplete_fields: Any

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs["form_class"] = PickerField
            kwargs["widget"] = KnownRowSelect(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(  # type: ignore[misc]
            db_field, request, **kwargs
        )


def _may_be_key(text: str) -> bool:
    if not text:
        return True
    is_plain = text.isascii() and text.isdecimal() and len(text) <= len(str(KEY_MAX))
    return is_plain and int(text) <= KEY_MAX
