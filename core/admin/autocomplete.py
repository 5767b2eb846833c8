"""Autocomplete fields of the admin: they name rows unmistakably and survive impossible keys."""

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
    """Return what a row is called where one of many is picked: its `picker_label`, if it has one.

    Two players may have nearly the same name, and money goes to the one picked.
    """
    return str(getattr(row, "picker_label", row))


class PickerView(AutocompleteJsonView):
    """Answer what is typed with the rows that fit, each under its label."""

    def serialize_result(self, obj: Model, to_field_name: str) -> dict[str, str]:
        return super().serialize_result(obj, to_field_name) | {"text": picker_label(obj)}


class PickerField(ModelChoiceField[Any]):
    def label_from_instance(self, obj: Model) -> str:
        return picker_label(obj)


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
