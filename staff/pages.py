"""Pages for staff about the whole installation: its set-up, markers of harm, and wind-downs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core.clock import database_now
from staff.dashboard.setup import all_items
from tables.responsible.harm import SPAN, noticed
from wallet.wind_down.report import owed_in_wind_down


@require_GET
def setup_view(request: HttpRequest) -> HttpResponse:
    """Show what must be set up and what to do; to superusers, who can change it."""
    if not (request.user.is_active and request.user.is_superuser):
        raise PermissionDenied
    parts = all_items(database_now())
    items = [item for _title, of in parts for item in of]
    done = sum(item.is_done for item in items)
    return _page(request, "setup", title=_("Setup"), parts=parts, done=done, number=len(items))


def harm_view(request: HttpRequest) -> HttpResponse:
    """Show players with conspicuous markers; staff act, and note it, on the player's page."""
    if not request.user.has_perm("players.view_ownlimit"):
        raise PermissionDenied
    rows = noticed(settings.CASH_CURRENCIES[0])
    return _page(request, "harm", title=_("Markers of harm"), days=SPAN.days, rows=rows)


def wind_down_view(request: HttpRequest) -> HttpResponse:
    """Show the current balances of players in each place where play for money has ended."""
    if not request.user.has_perm("wallet.view_account"):
        raise PermissionDenied
    rows = list(owed_in_wind_down(settings.CASH_CURRENCIES[0]))
    return _page(request, "wind_down", title=_("Wind-down: owed to players"), rows=rows)


def _page(request: HttpRequest, name: str, **context: Any) -> HttpResponse:
    context = {**admin.site.each_context(request), **context}
    return TemplateResponse(request, f"admin/staff/{name}.html", context)
