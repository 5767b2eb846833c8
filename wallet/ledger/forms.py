"""Form fields for amounts, and for shares in percent."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from moneyed import Money
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from wallet.ledger.money import percent

AMOUNT = {"max_digits": 14, "decimal_places": 2, "min_value": Decimal("0.01")}
TAX = {"max_digits": 14, "decimal_places": 2, "min_value": Decimal(0)}
PERCENT = {"max_digits": 5, "decimal_places": 2, "min_value": Decimal(0), "max_value": Decimal(100)}
# Decimal() would also accept "1_000" and non-ASCII digits.
FIGURES = re.compile(r"-?[0-9]*(\.[0-9]*)?")


class FiguresField(forms.DecimalField):
    """A decimal number in ASCII digits."""

    def to_python(self, value: Any) -> Any:
        if value and not FIGURES.fullmatch(str(value).strip()):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


class AmountForm(forms.Form):
    """An amount, and an idempotency key that makes a repeated submission harmless."""

    amount = FiguresField(label=_("Amount"), **AMOUNT)  # type: ignore[arg-type]
    key = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)

    def money(self) -> Money:
        return Money(self.cleaned_data["amount"], settings.CASH_CURRENCIES[0])

    def asked(self) -> bytes:
        """Return the cleaned data without the key, in a canonical form, for comparison."""
        asked: dict[str, Any] = {**self.cleaned_data}
        del asked["key"]
        return json.dumps(asked, sort_keys=True, default=str).encode()


class WithdrawalForm(AmountForm):
    payee = forms.TypedChoiceField(label=_("Bank account"), coerce=uuid.UUID)
    # The tax the player agreed to; zero unless the page sends it.
    agreed_tax = FiguresField(
        widget=forms.HiddenInput,
        initial=0,
        required=False,
        **TAX,  # type: ignore[arg-type]
    )

    def __init__(self, *args: Any, payees: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = cast(forms.TypedChoiceField, self.fields["payee"])
        choices.choices = list(payees)

    def tax(self) -> Money:
        return Money(self.cleaned_data["agreed_tax"] or 0, settings.CASH_CURRENCIES[0])


class ShareField(FiguresField):
    """A percentage as basis points: `12.5` is 1250."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"widget": UnfoldAdminDecimalFieldWidget(), **PERCENT, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return percent(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        typed = super().clean(value)
        return None if typed is None else int(typed * 100)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)
