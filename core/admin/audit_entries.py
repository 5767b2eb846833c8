"""The audit log of staff actions in the admin; read-only."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from core.admin.links import link, text_column
from core.admin.read_only import ReadOnlyAdmin
from core.labels import english
from core.models import AuditEntry, action_label


class FixedChoices(admin.SimpleListFilter):
    """Filter a field by the values that occur in it."""

    field = ""

    def label(self, value: str) -> str:
        return value

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        values = (
            AuditEntry.objects.order_by(self.field).values_list(self.field, flat=True).distinct()
        )
        return [(value, self.label(value)) for value in values]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry]
    ) -> QuerySet[AuditEntry]:
        return queryset.filter(**{self.field: self.value()}) if self.value() else queryset


class KindFilter(FixedChoices):
    title, parameter_name, field = gettext_lazy("Kind"), "kind", "kind"

    def label(self, value: str) -> str:
        return kind_label(value)


class ActFilter(FixedChoices):
    title, parameter_name, field = gettext_lazy("Action"), "act", "act"

    def label(self, value: str) -> str:
        return action_label(value)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "did", "of_kind", "what", "about", "reason")
    list_filter = (KindFilter, ActFilter, ("by", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("by", "about")
    search_fields = ("by__handle", "=service", "about__handle", "name", "reason", "=row")
    date_hierarchy = "at"
    list_per_page = 50
    fields = ("at", "actor", "did", "of_kind", "what", "about", "reason", "was", "became")

    actor = text_column("actor", gettext_lazy("By"), ordering="by")

    @admin.display(description=gettext_lazy("Action"), ordering="act")
    def did(self, entry: AuditEntry) -> str:
        return action_label(entry.act)

    @admin.display(description=gettext_lazy("Kind"), ordering="kind")
    def of_kind(self, entry: AuditEntry) -> str:
        return kind_label(entry.kind)

    @admin.display(description=gettext_lazy("What"))
    def what(self, entry: AuditEntry) -> str:
        try:
            url = reverse(f"admin:{entry.kind.replace('.', '_')}_change", args=[entry.row])
        except NoReverseMatch:  # The model has no page in the admin.
            return entry.name
        return link(url, entry.name)

    @admin.display(description=gettext_lazy("Before"))
    def was(self, entry: AuditEntry) -> str:
        return _lines(entry, entry.before)

    @admin.display(description=gettext_lazy("After"))
    def became(self, entry: AuditEntry) -> str:
        return _lines(entry, entry.after)


def kind_label(kind: str) -> str:
    """Return the name of a model by its label, or the label of a model that no longer exists."""
    try:
        return str(apps.get_model(kind)._meta.verbose_name)
    except (LookupError, ValueError):
        return kind


def _lines(entry: AuditEntry, text: str) -> str:
    """Return an entry's facts as HTML, one "column: value" a line."""
    try:
        fields = {field.name: field for field in apps.get_model(entry.kind)._meta.concrete_fields}
    except (LookupError, ValueError):
        fields = {}
    rows = (_fact(fields, *line.partition("=")[::2]) for line in text.splitlines())
    return format_html_join(mark_safe("<br>"), "{}: {}", rows) or "-"


def _fact(fields: dict[str, Any], name: str, value: str) -> tuple[str, str]:
    """Return a fact's label and value; amounts are in units of the row's currency."""
    field = fields.get(name)
    label = str(field.verbose_name if field else english(name))
    if name.endswith("_minor") and value.lstrip("-").isdigit():
        return label, f"{int(value) / 100:,.2f}"
    if name.endswith("bps") and value.isdigit():
        return label, f"{int(value) / 100:g} %"
    return label, str(dict(getattr(field, "flatchoices", ())).get(value, value))
