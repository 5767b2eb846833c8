"""States and ways to start, as pages say them."""

from __future__ import annotations

from datetime import datetime
from math import ceil

from django import template
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tables.templatetags.table_text import named_in

register = template.Library()

STATES = {
    "announced": _("Announced"),
    "registering": _("Registration open"),
    "check_in": _("Check-in"),
    "running": _("Running"),
    "finished": _("Finished"),
    "cancelled": _("Cancelled"),
    "aborted": _("Aborted"),
}
ENTRIES = {
    "waiting": _("On the waiting list"),
    "registered": _("Registered"),
    "checked_in": _("Checked in"),
    "playing": _("Playing"),
    "qualified": _("Qualified"),
    "out": _("Out"),
    "finished": _("Finished"),
}
NO_SHOWS = {
    "refund": _(
        "Players who have not checked in by the start are removed and get their entry back."
    ),
    "auto_drop": _("Absent players are seated, and dropped every deal until they are back."),
}

register.filter("state_name", named_in(STATES))
register.filter("entry_name", named_in(ENTRIES))
register.filter("no_show_words", named_in(NO_SHOWS))


@register.filter
def until(moment: datetime, now: datetime) -> str:
    """How long it is till then; `countdown.js` goes on with it, in the same words."""
    seconds = ceil((moment - now).total_seconds())
    if seconds <= 0:
        return gettext("any moment")
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    clock = f"{hour}:{minute:02}:{second:02}"
    words = gettext("in %(days)s d %(clock)s") if days else gettext("in %(clock)s")
    return words % {"days": days, "clock": clock}
