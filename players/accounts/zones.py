"""Times on pages, in the account's time zone.

The account's zone is set only while a page is rendered. Views and actions use the house's zone,
because the days of the ledger, of limits and of daily play points are the house's.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest
from django.template import TemplateDoesNotExist
from django.template.backends.django import DjangoTemplates, Template, reraise
from django.utils import timezone

from core.clock import database_now
from players.accounts.models import User

# Staff read and write the house's times: a form's time is read in the house's zone.
STAFF_PAGES = "/admin/"


def site_zone() -> ZoneInfo:
    return ZoneInfo(settings.TIME_ZONE)


def site_today() -> date:
    """Return the day by the house's calendar, wherever the page is read."""
    return timezone.localdate(database_now(), site_zone())


def zone_of(player: User | None) -> ZoneInfo:
    """Return the zone an account has chosen, or the house's where there is none."""
    house = timezone.get_default_timezone_name()
    try:
        return ZoneInfo(player.time_zone if player else house)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return ZoneInfo(house)


class ZonedTemplate(Template):
    """Shows times in the zone of the account that a page is rendered for."""

    def render(self, context: Any = None, request: HttpRequest | None = None) -> Any:
        with _zone_for(request):
            return super().render(context, request)


class ZonedTemplates(DjangoTemplates):
    def from_string(self, template_code: str) -> ZonedTemplate:
        return ZonedTemplate(self.engine.from_string(template_code), self)

    def get_template(self, template_name: str) -> ZonedTemplate:
        try:
            return ZonedTemplate(self.engine.get_template(template_name), self)
        except TemplateDoesNotExist as error:
            reraise(error, self)
            raise


def _zone_for(request: HttpRequest | None) -> AbstractContextManager[Any]:
    user = getattr(request, "user", None)
    if request is None or request.path.startswith(STAFF_PAGES) or not isinstance(user, User):
        return nullcontext()
    return timezone.override(zone_of(user))
