"""Admin of canned answers, and lists of requests and messages that cases answer."""

from __future__ import annotations

from django.contrib import admin

from core.admin.audited_forms import AuditedAdmin
from core.admin.read_only import ReadOnlyAdmin
from players.cases.models import CannedAnswer, DataRequest, HelpRequest


@admin.register(CannedAnswer)
class CannedAnswerAdmin(AuditedAdmin):
    """Canned answers in English and Hindi; they are withdrawn instead of deleted."""

    list_display = ("title", "english", "is_offered")
    list_filter = ("is_offered",)
    search_fields = ("title", "english", "hindi")
    fields = ("title", "english", "hindi", "is_offered")


@admin.register(DataRequest)
class DataRequestAdmin(ReadOnlyAdmin):
    """Read-only: requests are answered on their case pages."""

    list_display = ("player", "about", "asked_at", "answered_at", "answered_by")
    list_filter = ("about",)
    list_select_related = ("player", "answered_by")
    search_fields = ("player__handle",)


@admin.register(HelpRequest)
class HelpRequestAdmin(ReadOnlyAdmin):
    """Read-only: messages are answered on their case pages."""

    list_display = ("subject", "player", "asked_at", "answered_at", "answered_by")
    list_filter = ("answered_at", "language")
    list_select_related = ("player", "answered_by")
    search_fields = ("player__handle", "email", "subject")
