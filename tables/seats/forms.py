"""What a player may type to sit in at a points table."""

from __future__ import annotations

from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _
from moneyed import Money


class StackForm(forms.Form):
    """The stack to sit in with; left out at tables that have one price."""

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
