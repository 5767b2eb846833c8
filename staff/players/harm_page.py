"""The list of players with conspicuous markers of harm, each with a link to their page."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from tables.responsible.harm import SPAN, noticed


def harm_view(request: HttpRequest) -> HttpResponse:
    """Show these players; staff act, and note it, on the player's page."""
    if not sees_harm(request):
        raise PermissionDenied
    context = {
        **admin.site.each_context(request),
        "title": _("Markers of harm"),
        "days": SPAN.days,
        "rows": noticed(settings.CASH_CURRENCIES[0]),
    }
    return TemplateResponse(request, "admin/staff/harm.html", context)


def sees_harm(request: HttpRequest) -> bool:
    return request.user.has_perm("players.view_ownlimit")
