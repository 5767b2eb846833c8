"""Show times on pages in the account's time zone.

The account's zone is active only while a page is rendered. Views and actions use the site's zone,
which defines the days of the ledger, of limits and of daily play points.
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

# The admin shows and reads times in the site's zone.
STAFF_PAGES = "/admin/"


def site_zone() -> ZoneInfo:
    return ZoneInfo(settings.TIME_ZONE)


def site_today() -> date:
    """Return today's date in the site's time zone."""
    return timezone.localdate(database_now(), site_zone())


def zone_of(player: User | None) -> ZoneInfo:
    """Return the zone an account has chosen, or the site's if it is missing or invalid."""
    default = timezone.get_default_timezone_name()
    try:
        return ZoneInfo(player.time_zone if player else default)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return ZoneInfo(default)


class ZonedTemplate(Template):
    """Template that shows times in the zone of the signed-in account."""

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
