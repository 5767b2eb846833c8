"""The search of staff: one page for people, payments, transfers, games and cases."""

from __future__ import annotations

from typing import cast

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core import audit_log
from players.accounts.models import User
from staff.search.sources import Search
from staff.search.terms import LETTERS_MIN, Term


@require_GET
def search_view(request: HttpRequest) -> HttpResponse:
    """Show what matches `?q=`, by kind; only kinds that this person may see are searched."""
    term, viewer = Term.parse(request.GET.get("q", "")), cast(User, request.user)
    search = Search(viewer, term)
    groups = search.groups() if term.is_long_enough else []
    if search.people:
        _record(viewer, search.people)
    context = {
        **admin.site.each_context(request),
        "title": _("Search"),
        "term": term,
        "groups": groups,
        "letters_min": LETTERS_MIN,
    }
    return TemplateResponse(request, "admin/staff/search.html", context)


@transaction.atomic
def _record(viewer: User, people: list[User]) -> None:
    """Record which accounts' names and addresses were shown, without the text of the search."""
    found = {"accounts": ", ".join(person.short_code for person in people)}
    about = people[0] if len(people) == 1 else None
    audit_log.record(by=viewer, act="search", row=viewer, before={}, after=found, about=about)
