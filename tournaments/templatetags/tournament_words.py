"""States and ways to start, as pages say them."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext_lazy as _

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
TABS = {
    "open": _("Open"),
    "running": _("Running"),
    "mine": _("Mine"),
    "over": _("Over"),
}
NO_SHOWS = {
    "refund": _("Who has not checked in by the start is released and gets the entry back."),
    "auto_drop": _("Who is not there is seated and dropped every deal until back."),
}


@register.filter
def state_name(state: str) -> str:
    return str(STATES.get(state, state))


@register.filter
def entry_name(state: str) -> str:
    return str(ENTRIES.get(state, state))


@register.filter
def tab_name(tab: str) -> str:
    return str(TABS.get(tab, tab))


@register.filter
def no_show_words(no_show: str) -> str:
    return str(NO_SHOWS.get(no_show, no_show))
