"""What staff have done, to be looked at and searched; nobody changes it."""

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

from core.admin.read_only import LookOnly
from core.models import AuditEntry


class FixedChoices(admin.SimpleListFilter):
    """A filter over the values there are; few, and found by an index or a short scan."""

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
class AuditEntryAdmin(LookOnly, ModelAdmin):
    list_display = ("at", "by", "act", "kind", "what", "about", "reason")
    list_filter = (KindFilter, ActFilter, ("by", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("by", "about")
    search_fields = ("by__handle", "about__handle", "name", "reason", "=row")
    date_hierarchy = "at"
    show_full_result_count = False
    fields = ("at", "by", "act", "kind", "what", "about", "reason", "was", "became")

    @admin.display(description=gettext_lazy("What"))
    def what(self, deed: AuditEntry) -> str:
        try:
            url = reverse(f"admin:{deed.kind.replace('.', '_')}_change", args=[deed.row])
        except NoReverseMatch:  # A row without a page of its own.
            return deed.name
        return format_html('<a class="underline" href="{}">{}</a>', url, deed.name)

    @admin.display(description=gettext_lazy("Before"))
    def was(self, deed: AuditEntry) -> str:
        return _lines(deed.before)

    @admin.display(description=gettext_lazy("After"))
    def became(self, deed: AuditEntry) -> str:
        return _lines(deed.after)


def sees_audit_entries(request: HttpRequest) -> bool:
    return request.user.has_perm("core.view_auditentry")


def _lines(text: str) -> str:
    rows = ((line,) for line in text.splitlines())
    return format_html_join(mark_safe("<br>"), "{}", rows) or "-"
