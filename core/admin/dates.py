"""Columns with times in the lists of the admin."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from core.pages.dates import dated, short_day

if TYPE_CHECKING:
    from unfold.admin import ModelAdmin
else:
    ModelAdmin = object


@cache
def dated_column(name: str, label: Any, *, has_time: bool) -> Any:
    """Return an admin column with the date in a field; its attribute `field` is the field's name.

    The same arguments return the same object, because the admin compares columns by identity.
    """

    @admin.display(description=label, ordering=name)
    def shown(row: Any) -> str:
        return dated(getattr(row, name)) if has_time else short_day(getattr(row, name))

    shown.__name__ = name
    shown.field = name  # type: ignore[attr-defined]
    return shown


class DatedLists(ModelAdmin):
    """Mixin for admin pages whose lists show short dates, and times with their age."""

    def get_list_display(self, request: HttpRequest) -> Any:
        dates = {
            field.name: field
            for field in self.opts.fields
            if isinstance(field, models.DateField)  # Fields with a time are derived from it.
        }
        return [self._shown(name, dates.get(name)) for name in super().get_list_display(request)]

    def _shown(self, name: Any, field: Any) -> Any:
        if field is None:
            return name
        has_time = isinstance(field, models.DateTimeField)
        return dated_column(name, field.verbose_name, has_time=has_time)
