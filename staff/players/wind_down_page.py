"""The wind-down page: amounts still owed to players where play for money has ended."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from wallet.wind_down.owed import owed_in_wind_down


def wind_down_view(request: HttpRequest) -> HttpResponse:
    """Show the current balances of players in each of these places."""
    if not sees_wind_down(request):
        raise PermissionDenied
    context = {
        **admin.site.each_context(request),
        "title": _("Wind-down: owed to players"),
        "rows": list(owed_in_wind_down(settings.CASH_CURRENCIES[0])),
    }
    return TemplateResponse(request, "admin/staff/wind_down.html", context)


def sees_wind_down(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_account")
