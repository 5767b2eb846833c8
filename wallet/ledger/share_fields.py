"""Shares in forms of staff: typed in percent, kept in basis points."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminTextInputWidget

from wallet.ledger.forms import FiguresField
from wallet.ledger.money import percent

PERCENT = {"max_digits": 5, "decimal_places": 2, "min_value": Decimal(0), "max_value": Decimal(100)}


class ShareField(FiguresField):
    """A share typed in percent: `12.5` is 1250 basis points."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"widget": UnfoldAdminDecimalFieldWidget(), **PERCENT, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return percent(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        typed = super().clean(value)
        return None if typed is None else int(typed * 100)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class SharesField(forms.CharField):
    """Shares typed in percent, with commas between them: `50, 30, 20`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"widget": UnfoldAdminTextInputWidget(), "required": False, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return ", ".join(percent(share) for share in value)
        return value

    def clean(self, value: Any) -> list[int]:
        one = ShareField(
            error_messages={"invalid": _("Write shares in percent, such as 50, 30, 20.")}
        )
        typed = super().clean(value)
        return [one.clean(part) or 0 for part in typed.split(",")] if typed.strip() else []

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)
