"""Admin of the chart of accounts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext as _

from core.admin.audited_forms import AuditedAdmin
from finance.books.chart import ChartAccount, Named, alike
from finance.reports.frame.report import account_label


class ChartForm(forms.ModelForm[ChartAccount]):
    class Meta:
        model = ChartAccount
        fields = ("kind", "name", "group")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if "kind" in cleaned and "name" in cleaned:
            kind = cleaned["kind"]
            named = Named(cleaned["name"], cleaned.get("group", ""))
            if other := alike(kind, named):
                self.add_error(
                    "name",
                    _("Choose another name: Tally and Zoho Books would confuse it with %(other)s.")
                    % {"other": account_label(other)},
                )
        return cleaned


@admin.register(ChartAccount)
class ChartAccountAdmin(AuditedAdmin):
    form = ChartForm
    list_display = ("kind", "name", "group")
