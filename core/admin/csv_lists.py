"""The admin action that exports the selected rows of a list as CSV with the list's columns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, cast

from django.contrib import admin, messages
from django.contrib.admin.utils import label_for_field, lookup_field
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models, transaction
from django.http import HttpRequest, HttpResponseBase
from django.utils.html import strip_tags
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import audit_log
from core.http.csv_stream import csv_response

# Larger exports run in the background (finance's exports).
ROWS_MAX: Final = 50_000
FETCHED: Final = 500


@admin.action(description=gettext_lazy("Export as CSV"))
def export_csv(page: Any, request: HttpRequest, chosen: Any) -> HttpResponseBase | None:
    """Stream the selected rows with the list's columns, without links; write an audit entry."""
    rows = chosen.count()
    if rows > ROWS_MAX:
        messages.error(request, _("A list of at most %(n)s rows is exported.") % {"n": ROWS_MAX})
        return None
    note_export(request, label=page.model._meta.label_lower, rows=rows)
    names = [
        getattr(name, "field", name)  # Times are exported as they are.
        for name in page.get_list_display(request)
        if name not in ("action_checkbox", *getattr(page, "controls", ()))
    ]
    headings = [capfirst(str(label_for_field(name, page.model, page))) for name in names]
    return csv_response(
        request,
        filename=f"{page.model._meta.model_name}.csv",
        columns=[f"{number}" for number in range(len(names))],
        headings=headings,
        chunks=_chunks(page, names, chosen),
    )


def note_export(request: HttpRequest, *, label: str, rows: int) -> None:
    """Write an audit entry with the number of exported rows and the list's filters."""
    by = cast(AbstractBaseUser, request.user)
    taken = {"list": label, "rows": str(rows), "query": request.META.get("QUERY_STRING", "")[:200]}
    with transaction.atomic():
        audit_log.record(by=by, act="export", row=by, before={}, after=taken)


def _chunks(page: Any, names: list[str], chosen: Any) -> Iterator[list[dict[str, Any]]]:
    chunk: list[dict[str, Any]] = []
    for row in chosen.iterator(chunk_size=FETCHED):
        chunk.append({f"{at}": _cell(page, name, row) for at, name in enumerate(names)})
        if len(chunk) == FETCHED:
            yield chunk
            chunk = []
    yield chunk


def _cell(page: Any, name: str, row: models.Model) -> Any:
    """Return a column's value of a row: numbers unchanged, others as text without links."""
    field, _attribute, value = lookup_field(name, row, page)
    if field is not None and getattr(field, "flatchoices", None):
        value = getattr(row, f"get_{field.name}_display")()
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int | float) else strip_tags(str(value))


admin.site.add_action(export_csv, "export_csv")
