"""The chart of accounts, edited by finance."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from core.admin.audited_forms import AuditedAdmin
from finance.books.chart import ChartAccount


@admin.register(ChartAccount)
class ChartAccountAdmin(AuditedAdmin, ModelAdmin):
    list_display = ("kind", "name", "group")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
