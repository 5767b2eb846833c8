"""Columns with times in the lists of the admin."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from core.pages.dates import dated

if TYPE_CHECKING:
    from unfold.admin import ModelAdmin
else:
    ModelAdmin = object


@cache
def dated_column(name: str, label: str) -> Any:
    """Return an admin column with the time in a field; its attribute `field` is the field's name.

    The same arguments return the same object, because the admin compares columns by identity.
    """

    @admin.display(description=label, ordering=name)
    def shown(row: Any) -> str:
        return dated(getattr(row, name))

    shown.__name__ = name
    shown.field = name  # type: ignore[attr-defined]
    return shown


class DatedLists(ModelAdmin):
    """Mixin for admin pages whose lists show times with their age."""

    def get_list_display(self, request: HttpRequest) -> Any:
        times = {
            field.name: str(field.verbose_name)
            for field in self.opts.fields
            if isinstance(field, models.DateTimeField)
        }
        return [
            dated_column(name, times[name]) if name in times else name
            for name in super().get_list_display(request)
        ]
