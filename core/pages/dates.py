"""Dates on pages: the short date and age on staff pages, and the date input of forms."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django.forms import DateInput
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext


def age(moment: datetime, now: datetime) -> str:
    """Return the time since a moment, or until it, in its largest unit.

    >>> from datetime import timedelta
    >>> noon = datetime(2026, 5, 12, 12)
    >>> [age(noon - timedelta(seconds=ago), noon) for ago in (5, 150, 7_300, 200_000, -7_300)]
    ['now', '2 min ago', '2 h ago', '2 d ago', 'in 2 h']
    """
    seconds = int((now - moment).total_seconds())
    past, to_come = (
        {
            86_400: gettext("%(n)s d ago"),
            3_600: gettext("%(n)s h ago"),
            60: gettext("%(n)s min ago"),
        },
        {86_400: gettext("in %(n)s d"), 3_600: gettext("in %(n)s h"), 60: gettext("in %(n)s min")},
    )
    for size, text in (past if seconds >= 0 else to_come).items():
        if number := abs(seconds) // size:
            return text % {"n": number}
    return gettext("now")


def short_day(day: date | None) -> str:
    """Return a date without the year if that is the present one."""
    if day is None:
        return "-"
    this_year = day.year == timezone.localdate().year
    return date_format(day, "j M" if this_year else "j M Y")


def dated(moment: datetime | None) -> str:
    """Return a time as HTML: the short date with the age, and the minute as its title."""
    if moment is None:
        return "-"
    local = timezone.localtime(moment)
    return format_html(
        '<time class="dated" datetime="{}" title="{}">{}, {}</time>',
        moment.isoformat(),
        date_format(local, "j M Y, H:i:s"),
        short_day(local.date()),
        age(moment, timezone.now()),
    )


class DayInput(DateInput):
    """A calendar that ends today; a URL gives the same ISO date."""

    input_type = "date"

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs, format="%Y-%m-%d")

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        last = {"max": timezone.localdate().isoformat()}
        return super().get_context(name, value, last | (attrs or {}))
