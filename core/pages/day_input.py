"""The date input of forms: one picker, the browser's own."""

from __future__ import annotations

from typing import Any

from django.forms import DateInput
from django.utils import timezone


class DayInput(DateInput):
    """A calendar that ends today; a URL gives the same ISO date."""

    input_type = "date"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs, format="%Y-%m-%d")

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        last = {"max": timezone.localdate().isoformat()}
        return super().get_context(name, value, last | (attrs or {}))
