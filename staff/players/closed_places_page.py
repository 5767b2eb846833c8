"""What is still owed where play for money is closed: in a wind-down, what is left to be paid."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from wallet.wind_down.owed import owed_in_closed_places


def closed_places_view(request: HttpRequest) -> HttpResponse:
    """Show each place with what its players have, as the ledger has it now."""
    if not sees_closed_places(request):
        raise PermissionDenied
    context = {
        **admin.site.each_context(request),
        "title": _("Owed where play for money is closed"),
        "rows": list(owed_in_closed_places(settings.CASH_CURRENCIES[0])),
    }
    return TemplateResponse(request, "admin/staff/wind_down.html", context)


def sees_closed_places(request: HttpRequest) -> bool:
    return request.user.has_perm("wallet.view_account")
