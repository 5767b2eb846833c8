"""Export the queue of cases as CSV, with the columns of its page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from core.admin.csv_lists import FETCHED, ROWS_MAX, note_export
from core.http.csv_stream import csv_response
from players.accounts.models import User
from players.cases.models import Case
from staff.cases.queue import Filters, Waiting, queue, waiting

COLUMNS = ("case", "kind", "player", "priority", "since", "due", "owner", "status")


def export_queue(request: HttpRequest, viewer: User, filters: Filters) -> HttpResponseBase:
    """Stream the pending cases, the most urgent first; write an audit entry."""
    found = list(queue(viewer, filters)[:ROWS_MAX])
    note_export(request, label=Case._meta.label_lower, rows=len(found))
    asked = (_("Case"), _("Kind"), _("Player"), _("Priority"))
    headings = (*asked, _("Since"), _("Due"), _("Owner"), _("Status"))
    return csv_response(
        request,
        filename="cases.csv",
        columns=COLUMNS,
        headings=headings,
        chunks=_chunks(viewer, found),
    )


def _chunks(viewer: User, found: list[tuple[Any, ...]]) -> Iterator[list[dict[str, Any]]]:
    for start in range(0, len(found), FETCHED):
        yield [_cells(row) for row in waiting(viewer, found[start : start + FETCHED])]


def _cells(row: Waiting) -> dict[str, Any]:
    return {
        "case": row.title,
        "kind": str(row.kind.label),
        "player": str(row.player or ""),
        "priority": str(row.priority.label),
        "since": row.opened_at.isoformat(),
        "due": row.due_at.isoformat() if row.due_at else "",
        "owner": str(row.owner or ""),
        "status": _("the player has answered") if row.has_reply else "",
    }
