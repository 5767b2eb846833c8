"""The answers that staff give often."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from core.admin.audited_forms import AuditedAdmin
from players.cases.models import CannedAnswer


@admin.register(CannedAnswer)
class CannedAnswerAdmin(AuditedAdmin, ModelAdmin):
    """Each in English and Hindi; one that is not offered any more stays."""

    list_display = ("title", "english", "is_offered")
    list_filter = ("is_offered",)
    search_fields = ("title", "english", "hindi")
    fields = ("title", "english", "hindi", "is_offered")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
