"""Admin of the layouts that staff declare, with a preview of a file's first lines."""

from __future__ import annotations

import base64
from typing import Any, ClassVar, cast

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.files.uploadedfile import UploadedFile
from django.db import models
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action
from unfold.widgets import UnfoldAdminFileFieldWidget

from core.admin.audited_forms import AuditedAdmin
from finance.exceptions import BadFile, BadLayout
from finance.matching.admin import faults_as_text
from finance.matching.files import Contents
from finance.matching.formats.reading import read_bank_file
from finance.matching.layouts.models import CsvLayout
from finance.matching.layouts.reading import LayoutReader
from finance.matching.models import masked
from wallet.ledger.money import as_money, as_text

SAMPLE_BYTES_MAX = 256 * 1024
LINES_SHOWN = 10
PREVIEW = "preview_sample"
# Declarations of a `Layout` that have another name on the form.
FIELD_OF = {"group": "figures", "decimal": "figures", "delimiters": "delimiter"}


class LayoutForm(forms.ModelForm[CsvLayout]):
    """A layout and a sample file, which is read and not stored; sets `preview`."""

    sample = forms.FileField(
        label=gettext_lazy("Sample file"),
        required=False,
        max_length=200,
        widget=UnfoldAdminFileFieldWidget(),
        help_text=gettext_lazy(
            "A statement of this bank, at most 256 KB. It is read for the preview and not stored."
        ),
    )
    # The sample between two previews: browsers do not send a chosen file again.
    kept = forms.CharField(required=False, widget=forms.HiddenInput())

    preview: dict[str, Any] | None = None

    class Meta:
        model = CsvLayout
        fields = tuple(one.name for one in CsvLayout._meta.fields if one.name != "id")

    def is_valid(self) -> bool:
        """Return whether the layout is to be saved: valid, and not only previewed."""
        return super().is_valid() and PREVIEW not in self.data

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        body = self._sample(cleaned)
        if PREVIEW in self.data and not body:
            self.add_error("sample", _("Choose a file to preview."))
        if self.errors:
            return cleaned
        try:
            own = {name: cleaned[name] for name in cleaned if name not in ("sample", "kept")}
            layout = CsvLayout(**own).layout()
        except BadLayout as fault:
            self.add_error(FIELD_OF.get(fault.declaration, fault.declaration), str(fault))
            return cleaned
        if body:
            try:
                currency = settings.CASH_CURRENCIES[0]
                contents = read_bank_file(body, currency=currency, reader=LayoutReader(layout))
            except BadFile as refusal:
                self.add_error("sample", faults_as_text(refusal))
            else:
                self.preview = preview_of(contents)
        return cleaned

    def _sample(self, cleaned: dict[str, Any]) -> bytes:
        """Return the sample of this request, or the one kept from the request before."""
        sent: UploadedFile[bytes] | None = cleaned.get("sample")
        try:
            body = sent.read(SAMPLE_BYTES_MAX + 1) if sent else base64.b64decode(cleaned["kept"])
        except ValueError:
            return b""
        if len(body) > SAMPLE_BYTES_MAX:
            self.add_error("sample", _("Choose a file of at most 256 KB."))
            return b""
        data = cast(QueryDict, self.data).copy()
        data["kept"] = base64.b64encode(body).decode()
        self.data = data
        return body


def preview_of(contents: Contents) -> dict[str, Any]:
    """Return what the page shows of a sample: its first lines, balances and warnings."""
    [statement, *_more] = contents.statements

    def amount(minor: int) -> str:
        return as_text(as_money(minor, statement.currency))

    balances = (statement.opening, statement.closing)
    return {
        "lines": [(line, amount(line.amount_minor)) for line in statement.lines[:LINES_SHOWN]],
        "count": len(statement.lines),
        "account": masked(statement.account),
        "balances": [amount(one.amount_minor) for one in balances if one],
        "warnings": contents.warnings,
    }


@admin.register(CsvLayout)
class CsvLayoutAdmin(AuditedAdmin):
    """Layouts of banks' CSV; the layouts that come with the product are data files."""

    form = LayoutForm
    list_display = ("title", "date_format", "figures", "delimiter", "encoding")
    change_form_before_template = "admin/finance/layout_preview.html"
    actions_submit_line = (PREVIEW,)
    fieldsets: ClassVar[Any] = (
        (None, {"fields": ("title", "sample")}),
        (
            gettext_lazy("File"),
            {"fields": (("delimiter", "encoding"), ("currency", "account"))},
        ),
        (
            gettext_lazy("Headings"),
            {
                "fields": (
                    ("date", "value_date"),
                    "date_format",
                    ("text", "references"),
                ),
                "description": gettext_lazy(
                    "As in the row above the lines; capitals and repeated spaces do not matter. "
                    "Write A | B for either of two headings, and A #2 for the second column of "
                    "that name."
                ),
            },
        ),
        (
            gettext_lazy("Amounts"),
            {
                "fields": (
                    "figures",
                    ("debit", "credit"),
                    ("amount", "side"),
                    ("debit_sign", "credit_sign"),
                    "parentheses",
                    ("balance", "balance_side"),
                )
            },
        ),
        (gettext_lazy("Below the lines"), {"fields": (("footer", "skipped"),)}),
    )

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if isinstance(db_field, models.TextField):
            field.widget.attrs["rows"] = 3
        return field

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *rest: Any, **kwargs: Any
    ) -> HttpResponse:
        # Unfold shows the buttons of `actions_submit_line` on pages of stored rows alone.
        context["actions_submit_line"] = self.get_actions_submit_line(request, None)
        answer: HttpResponse = super().render_change_form(request, context, *rest, **kwargs)
        return answer

    @action(description=gettext_lazy("Preview the sample"), attrs={"name": PREVIEW})  # type: ignore[untyped-decorator]
    def preview_sample(self, request: HttpRequest, row: CsvLayout) -> None:
        """Name the button of the preview; the form is never saved with it."""
