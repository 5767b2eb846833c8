"""Admin of canned answers and of players' requests about their own data."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from core.admin.audited_forms import AuditedAdmin
from core.admin.read_only import ReadOnlyAdmin
from players.cases.data_request_models import DataRequest
from players.cases.models import CannedAnswer


@admin.register(CannedAnswer)
class CannedAnswerAdmin(AuditedAdmin, ModelAdmin):
    """Canned answers in English and Hindi; they are withdrawn instead of deleted."""

    list_display = ("title", "english", "is_offered")
    list_filter = ("is_offered",)
    search_fields = ("title", "english", "hindi")
    fields = ("title", "english", "hindi", "is_offered")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(DataRequest)
class DataRequestAdmin(ReadOnlyAdmin, ModelAdmin):
    """Read-only: requests are answered on their case pages."""

    list_display = ("player", "about", "asked_at", "answered_at", "answered_by")
    list_filter = ("about",)
    list_select_related = ("player", "answered_by")
    search_fields = ("player__handle",)
