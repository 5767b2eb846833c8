"""The field for a mobile number, and the form that keeps or removes one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from players.exceptions import BadPhoneNumber
from players.identity.phones.numbers import normalised


class MobileField(forms.CharField):
    """A mobile number that need not be given; its value is in E.164, or empty."""

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
    """Return the field; a number without a country's code is read as one of the player's."""
    return MobileField(
        country=country,
        label=_("Mobile number (you may leave it out)"),
        help_text=_(
            "For one thing: if you ever exclude yourself from play, that number is found again. "
            "We send nothing to it but a code, when you ask for one to confirm it."
        ),
    )


class PhoneForm(forms.Form):
    """An empty field removes the number."""

    def __init__(self, *args: Any, country: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["number"] = mobile_field(country)


class PhoneCodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=12,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
