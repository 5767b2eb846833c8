"""Template filters for labels of tournament states and for countdowns."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django import template
from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tables.templatetags.table_text import named_in
from tournaments.planning.terms_models import KindName

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
    "refund": _("Players who have not checked in by the start are removed and refunded."),
    "auto_drop": _("Absent players are seated and dropped in every deal until they return."),
}

KIND_TAGS: dict[str, Any] = {
    KindName.KNOCKOUT: "",
    KindName.SHOOTOUT: _("Shoot-out"),
    KindName.BALANCED: _("Balanced tables"),
    KindName.RACE: _("Points race"),
}

register.filter("kind_name", named_in({kind.value: kind.label for kind in KindName}))
register.filter("kind_tag", named_in(KIND_TAGS))
register.filter("state_name", named_in(STATES))
register.filter("entry_name", named_in(ENTRIES))
register.filter("no_show_text", named_in(NO_SHOWS))


@register.filter
def when(moment: datetime, now: datetime) -> str:
    """Return the time of an event: "20:00" today, "tomorrow, 20:00", or with the date."""
    local, today = timezone.localtime(moment), timezone.localtime(now).date()
    clock = time_format(local, "H:i")
    if local.date() == today:
        return clock
    if local.date() == today + timedelta(days=1):
        return gettext("tomorrow, %(time)s") % {"time": clock}
    return date_format(local, "j M, H:i")


@register.filter
def until(moment: datetime, now: datetime) -> str:
    """Return the time left as text; `countdown.js` updates it with the same format."""
    seconds = ceil((moment - now).total_seconds())
    if seconds <= 0:
        return gettext("any moment")
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    clock = f"{hour}:{minute:02}:{second:02}"
    text = gettext("in %(days)s d %(clock)s") if days else gettext("in %(clock)s")
    return text % {"days": days, "clock": clock}
