"""The form of a report's page, checked by the API's own rules for queries."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from core.exceptions import Refusal
from finance.reports.exports.api import ReportQuery
from finance.reports.exports.files import CSV, formats_of
from finance.reports.frame.report import CASH, POINTS, Question, Report
from finance.taxes.offline_tool import SECTIONS
from players.accounts.models import User

FORMATS: Final = {
    "csv": "CSV",
    "xlsx": "Excel (XLSX)",
    "beancount": "Beancount",
    "ledger": "Ledger",
    "tally": "Tally (XML)",
    "zoho": "Zoho Books (CSV)",
    # Sections of the return, as the offline tool imports them: "GSTR-1 B2CS (CSV)".
    **{name: f"{name.upper().replace('GSTR1-', 'GSTR-1 ')} (CSV)" for name in SECTIONS},
}
MONEY: Final = (
    ("", gettext_lazy("Cash and play points")),
    (CASH, gettext_lazy("Cash only")),
    (POINTS, gettext_lazy("Play points only")),
)


class QueryForm(forms.Form):
    """Period, filters and format of a report; `question` is its query once it is valid."""

    question: Question

    def __init__(self, report: Report, data: Any) -> None:
        super().__init__(data)
        self.report = report
        day = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
        self.fields["from"] = forms.DateField(label=gettext_lazy("First day"), widget=day)
        self.fields["to"] = forms.DateField(label=gettext_lazy("Last day"), widget=day)
        if report.by_money:
            self.fields["money"] = forms.ChoiceField(
                label=gettext_lazy("Money"), choices=MONEY, required=False
            )
        if report.by_person:
            shown = {"placeholder": gettext_lazy("Player name or e-mail address")}
            for name, label in (
                ("by", gettext_lazy("Done by")),
                ("about", gettext_lazy("About the player")),
            ):
                self.fields[name] = PersonField(
                    label=label, required=False, widget=forms.TextInput(attrs=shown)
                )
        self.fields["format"] = forms.ChoiceField(
            label=gettext_lazy("Format"),
            choices=[(name, FORMATS[name]) for name in formats_of(report)],
            required=False,
        )

    @property
    def filters(self) -> list[forms.BoundField]:
        """Return the fields that decide which rows are shown."""
        return [self[name] for name in self.fields if name != "format"]

    @property
    def chosen(self) -> str:
        """Return the format of a valid form."""
        return self.cleaned_data["format"] or CSV

    def clean(self) -> dict[str, Any]:
        """Set `question`, checked like a request of the API."""
        asked = dict(self.cleaned_data)
        if not self.errors:
            values = {name: value for name, value in asked.items() if value and name != "format"}
            query = ReportQuery(data=values)
            if not query.is_valid():
                raise ValidationError([str(error) for of in query.errors.values() for error in of])
            try:
                self.question = query.start(self.report).question
            except Refusal as refusal:
                raise ValidationError(str(refusal)) from refusal
        return asked

    def as_asked(self) -> dict[str, str]:
        """Return the parameters as they were sent, without empty ones."""
        return {name: self.data[name] for name in self.fields if self.data.get(name)}


class PersonField(forms.CharField):
    """A person's handle or e-mail address; its value is the person's public id."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return ""
        named = User.objects.filter(handle__iexact=text) | User.objects.filter(email__iexact=text)
        person = named.order_by("pk").first()
        if person is None:
            raise ValidationError(gettext_lazy("There is no account with this name or address."))
        return str(person.public_id)
