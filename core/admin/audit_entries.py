"""The audit log of staff acts in the admin; read-only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin

from core.admin.read_only import ReadOnlyAdmin
from core.models import AuditEntry


class FixedChoices(admin.SimpleListFilter):
    """Filter a field by the few values that occur in it."""

    field = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        values = (
            AuditEntry.objects.order_by(self.field).values_list(self.field, flat=True).distinct()
        )
        return [(value, value) for value in values]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry]
    ) -> QuerySet[AuditEntry]:
        return queryset.filter(**{self.field: self.value()}) if self.value() else queryset


class KindFilter(FixedChoices):
    title, parameter_name, field = "kind", "kind", "kind"


class ActFilter(FixedChoices):
    title, parameter_name, field = "act", "act", "act"


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin, ModelAdmin):
    list_display = ("at", "by", "act", "kind", "what", "about", "reason")
    list_filter = (KindFilter, ActFilter, ("by", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("by", "about")
    search_fields = ("by__handle", "about__handle", "name", "reason", "=row")
    date_hierarchy = "at"
    show_full_result_count = False
    fields = ("at", "by", "act", "kind", "what", "about", "reason", "was", "became")

    @admin.display(description=gettext_lazy("What"))
    def what(self, entry: AuditEntry) -> str:
        try:
            url = reverse(f"admin:{entry.kind.replace('.', '_')}_change", args=[entry.row])
        except NoReverseMatch:  # The model has no page in the admin.
            return entry.name
        return format_html('<a class="underline" href="{}">{}</a>', url, entry.name)

    @admin.display(description=gettext_lazy("Before"))
    def was(self, entry: AuditEntry) -> str:
        return _lines(entry.before)

    @admin.display(description=gettext_lazy("After"))
    def became(self, entry: AuditEntry) -> str:
        return _lines(entry.after)


def sees_audit_entries(request: HttpRequest) -> bool:
    return request.user.has_perm("core.view_auditentry")


def _lines(text: str) -> str:
    rows = ((line,) for line in text.splitlines())
    return format_html_join(mark_safe("<br>"), "{}", rows) or "-"
