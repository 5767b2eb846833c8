"""A date input of three lists: a browser's calendar uses the browser's language."""

from __future__ import annotations

from typing import Any

from django.forms import SelectDateWidget
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

YEARS_SHOWN = 10


class DayInput(SelectDateWidget):
    """Day, month and year in the page's language; a URL may also give an ISO date."""

    def __init__(self) -> None:
        nothing: Any = (_("Year"), _("Month"), _("Day"))
        super().__init__(empty_label=nothing)

    @staticmethod
    def _parse_date_fmt() -> list[str]:
        return ["day", "month", "year"]

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        this_year = timezone.localdate().year
        self.years = range(this_year, this_year - YEARS_SHOWN, -1)
        context = super().get_context(name, value, attrs)
        # The form's label belongs to the first list.
        for part, words in zip(
            context["widget"]["subwidgets"][1:], (_("Month"), _("Year")), strict=True
        ):
            part["attrs"]["aria-label"] = words
        return context
