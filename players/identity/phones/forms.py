"""The field for a mobile number, and the form that keeps or removes one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from players.exceptions import BadPhoneNumber
from players.identity.phones.numbers import normalised


class MobileField(forms.CharField):
    """An optional mobile number; its value is in E.164, or empty."""

    def __init__(self, *, country: str, **kwargs: Any) -> None:
        self.country = country
        widget = forms.TextInput(attrs={"type": "tel", "autocomplete": "tel"})
        super().__init__(required=False, max_length=30, widget=widget, **kwargs)

    def clean(self, value: Any) -> str:
        typed = super().clean(value)
        try:
            return normalised(typed, country=self.country) if typed else ""
        except BadPhoneNumber as refusal:
            raise ValidationError(str(refusal)) from refusal


def mobile_field(country: str = "") -> MobileField:
    """Return the field; a number without a country code is read as one of `country`."""
    return MobileField(
        country=country,
        label=_("Mobile number (optional)"),
        help_text=_(
            "Used only to enforce a self-exclusion, if you ever choose one. "
            "We send nothing to it except the confirmation codes that you request."
        ),
    )


class PhoneForm(forms.Form):
    """The player's mobile number; an empty field removes it."""

    def __init__(self, *args: Any, country: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["number"] = mobile_field(country)


class PhoneCodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=12,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
