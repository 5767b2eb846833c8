"""The staff page of live tables: the pending step of each, its delay, and the staff actions."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext

from core.clock import database_now
from tables.integrity.moderation.live import LiveTable, live_tables
from tables.integrity.moderation.models import Ruling
from tables.integrity.moderation.rulings import IN_DEAL
from tables.integrity.moderation.table_figures import stuck_tables, tables_by_phase
from tables.models.tables import Drain, Table

ROWS_PER_PAGE: Final = 25


def live_view(request: HttpRequest) -> HttpResponse:
    """Show live tables, earliest deadline first; filtered by `?stuck=1` or `?phase=`."""
    if not request.user.has_perm("tables.view_table"):
        raise PermissionDenied
    now = database_now()
    chosen = _chosen(request, stuck_tables(now))
    page = Paginator(chosen, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    may_rule = request.user.has_perm("tables.add_ruling")
    context = {
        **admin.site.each_context(request),
        "title": gettext("Live tables"),
        "page": page,
        "rows": [(row, _acts(row, may_rule)) for row in live_tables(list(page), now)],
        "phases": [
            (phase, Table.Phase(phase).label, number)
            for phase, number in sorted(tables_by_phase().items())
        ],
        "phase": request.GET.get("phase", ""),
        "only_stuck": "stuck" in request.GET,
        "drain": Drain.objects.on().first(),
        "may_drain": request.user.has_perm("tables.add_drain"),
    }
    return TemplateResponse(request, "admin/tables/live.html", context)


def _chosen(request: HttpRequest, stuck: QuerySet[Table]) -> QuerySet[Table]:
    tables = stuck if "stuck" in request.GET else Table.objects.live()
    if phase := request.GET.get("phase"):
        tables = tables.filter(phase=phase) if phase in Table.Phase.values else tables.none()
    return tables.select_related("profile").order_by(F("due_at").asc(nulls_last=True), "pk")


def _acts(row: LiveTable, may_rule: bool) -> list[tuple[str, str]]:
    """Return the actions on a table as pairs of label and URL."""
    table = row.table
    host, _, held_by = table.owner_ref.partition(":")
    if host == "tournament":
        url = reverse("admin:tournaments_tournament_changelist")
        return [(gettext("Its tournament"), f"{url}?{urlencode({'q': held_by})}")]
    if not may_rule:
        return []
    cancel = {"table": table.pk, "kind": Ruling.Kind.CANCEL.value}
    asked: list[tuple[str, dict[str, Any]]] = [(gettext("Cancel the game"), cancel)]
    if table.phase in IN_DEAL:
        void = {"table": table.pk, "deal": row.deal, "kind": Ruling.Kind.VOID.value}
        asked.append((gettext("Void the deal"), void))
    add = reverse("admin:tables_ruling_add")
    return [(words, f"{add}?{urlencode(said)}") for words, said in asked]
