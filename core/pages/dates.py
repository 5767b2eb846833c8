"""The date format of staff pages: a short date and the age, such as "12 May, 3 h ago"."""

from __future__ import annotations

from datetime import datetime

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


def dated(moment: datetime | None) -> str:
    """Return a time as HTML: the short date with the age, and the minute as its title."""
    if moment is None:
        return "-"
    now, local = timezone.now(), timezone.localtime(moment)
    this_year = local.year == timezone.localtime(now).year
    return format_html(
        '<time class="dated" datetime="{}" title="{}">{}, {}</time>',
        moment.isoformat(),
        date_format(local, "j M Y, H:i:s"),
        date_format(local, "j M" if this_year else "j M Y"),
        age(moment, now),
    )
