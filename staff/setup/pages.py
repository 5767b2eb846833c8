"""The page of an operator's first day: everything that must be set up, with what to do."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core.clock import database_now
from staff.setup.items import all_items


@require_GET
def setup_view(request: HttpRequest) -> HttpResponse:
    """Show the state of the installation to superusers, who can change it."""
    if not (request.user.is_active and request.user.is_superuser):
        raise PermissionDenied
    parts = all_items(database_now())
    items = [item for _title, of in parts for item in of]
    context = {
        **admin.site.each_context(request),
        "title": _("Setup"),
        "parts": parts,
        "done": sum(item.is_done for item in items),
        "number": len(items),
    }
    return TemplateResponse(request, "admin/staff/setup.html", context)
