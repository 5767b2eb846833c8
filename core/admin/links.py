"""Columns of the admin: text and links to rows, lists and other pages."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html


def link(url: str, text: object) -> str:
    """Return a link in the style of the admin."""
    return format_html('<a class="underline" href="{}">{}</a>', url, text)


def link_to(row: Model | None, text: object = None) -> str:
    """Return a link to a row's page in the admin."""
    if row is None:
        return "-"
    url = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    return link(url, text or row)


def tag(text: object, tone: str = "") -> str:
    """Return a short text in a coloured box; `tone` is "good", "warn", "bad" or empty."""
    return format_html('<span class="tag {}">{}</span>', tone, text)


def text_column(path: str, label: Any, *, ordering: str | None = None) -> Any:
    """Return an admin column with the text of the value at an attribute path; "-" if empty."""
    value = attrgetter(path)

    @admin.display(description=label, ordering=ordering)
    def shown(page: Any, row: Any) -> str:
        return str(value(row) or "-")

    return shown


def clipped_column(column: str, label: Any) -> Any:
    """Return an admin column with the start of a long text, such as a hash; its title is whole."""

    @admin.display(description=label, ordering=column)
    def shown(page: Any, row: Any) -> str:
        text = getattr(row, column)
        return format_html('<span class="clipped" title="{0}">{0}</span>', text) if text else "-"

    return shown


def link_column(path: str, label: Any, *, ordering: str | None = None) -> Any:
    """Return an admin column that links to the related row, if any, at an attribute path."""
    linked = attrgetter(path)

    @admin.display(description=label, ordering=ordering)
    def shown(page: Any, row: Any) -> str:
        try:
            return link_to(linked(row))
        except ObjectDoesNotExist:  # No row refers to this one by a one-to-one relation.
            return link_to(None)

    return shown


def link_to_list(model: type[Model], text: str, **filters: object) -> str:
    """Return a link to a filtered list in the admin."""
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    return link(f"{url}?{query}", text)


def preformatted(text: str) -> str:
    """Return a text with a format of its own, such as a deal's record, as preformatted HTML."""
    return format_html('<pre class="overflow-auto" tabindex="0">{}</pre>', text)
