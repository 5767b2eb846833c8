"""The form with which a player sits down at a points table."""

from __future__ import annotations

from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _
from moneyed import Money


class StackForm(forms.Form):
    """The stack to sit down with; omitted at tables with one price."""

    stack = forms.DecimalField(
        label=_("Stack"),
        required=False,
        max_digits=14,
        decimal_places=2,
        min_value=Decimal("0.01"),
    )

    def money(self, currency: str) -> Money | None:
        stack = self.cleaned_data["stack"]
        return None if stack is None else Money(stack, currency)
