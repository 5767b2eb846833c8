"""Lists of players for staff: markers of harm, and what is owed where play for money has ended."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from tables.responsible.harm import SPAN, noticed
from wallet.wind_down.owed import owed_in_wind_down


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
