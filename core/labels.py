"""The names of models, their fields and staff actions on staff pages, in the reader's language.

A field without `verbose_name` is named after its column, and so are the staff actions. These names
are in the catalogues with the contexts `FIELD` and `ACTION` (`core.translations`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, override, pgettext_lazy

FIELD: Final = "field"
ACTION: Final = "action"
APPS: Final = ("core", "players", "wallet", "tables", "tournaments", "finance")
# Of libraries: the models that the admin shows.
BORROWED: Final = ("account", "usersessions")


def english(name: str) -> str:
    """Return the name of a column or an action in code as text.

    >>> english("prize_minor"), english("note_paid"), english("bps")
    ('prize', 'note paid', 'share')
    """
    return (
        name.removesuffix("_minor").removesuffix("_bps").replace("_", " ").replace("bps", "share")
    )


def stored_name(row: Model) -> str:
    """Return the name of a row to be stored: in English, whatever the language of who acts."""
    with override(None):
        return str(row)[:200]


def named_models() -> Iterator[type[Model]]:
    return (model for app in (*APPS, *BORROWED) for model in apps.get_app_config(app).get_models())


def shown_models() -> Iterator[type[Model]]:
    """Yield the models that the admin shows as a list or within the page of another row."""
    pages = admin.site._registry
    rows = {inline.model for page in pages.values() for inline in page.inlines}
    return (model for model in named_models() if model in rows or model in pages)


def fields_of(model: type[Model]) -> Iterator[Any]:
    yield from (*model._meta.local_fields, *model._meta.local_many_to_many)


def translate_names() -> None:
    """Make the names of all models and fields translatable; once, when models are loaded.

    Migrations keep the English names, as `makemigrations` reads texts without a translation.
    """
    for model in named_models():
        for field in fields_of(model):
            if field._verbose_name is None:
                field.verbose_name = pgettext_lazy(FIELD, english(field.name))
            _make_lazy(field, "verbose_name")
            _make_lazy(field, "help_text")
        for name in ("verbose_name_plural", "verbose_name"):
            _make_lazy(model._meta, name)


def _make_lazy(holder: Any, name: str) -> None:
    text = getattr(holder, name)
    is_derived = name == "verbose_name_plural" and name not in holder.original_attrs
    if text and (is_derived or not isinstance(text, Promise)):
        with override(None):  # A derived plural is lazy, but in English.
            setattr(holder, name, gettext_lazy(str(text)))
