"""What staff's pages have in common: rows written once, acts on many rows, refusals told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib import messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from core.exceptions import Refusal
from core.texts import one_line, readable

# So many rows are named after an act; of more there is a number.
NAMED_MAX = 5


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """Tell on the next page why a service refused; services commit, or undo, by themselves."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, f"{refusal} ({refusal.code})")


def do_to_each(
    request: HttpRequest, chosen: QuerySet[Any], act: Callable[[Any, Any], object], *, said: str
) -> None:
    """Let a service act on each of the rows, and tell to which it was done.

    Each is a commit of its own; a refusal of one is told and does not stop the others.
    """
    rows, done = list(chosen.order_by("pk")), []
    for row in rows:
        with refusals_told(request):
            act(row, request.user)
            done.append(str(row))
    if done:
        words = "; ".join(done) if len(done) <= NAMED_MAX else f"{len(done)} of {len(rows)}"
        messages.success(request, f"{said}: {words}")


class ReadableTexts:
    """Put before a `ModelAdmin`: its forms refuse control characters.

    Names end in memos, in mails' subjects and in reports.
    """

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(  # type: ignore[misc]
            db_field, request, **kwargs
        )
        is_long = isinstance(db_field, models.TextField)
        # Choices and lists of numbers have forms of their own.
        is_text = is_long or isinstance(db_field, models.CharField)
        if is_text and isinstance(field, forms.CharField):
            field.validators = [*field.validators, readable if is_long else one_line]
        return field


class CommittedByServices(ReadableTexts):
    """A form is saved by a service, in its own transaction and not in the admin's."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        with refusals_told(request):
            shown: HttpResponse = self._changeform_view(  # type: ignore[attr-defined]
                request, object_id, form_url, extra_context
            )
            return shown
        return HttpResponseRedirect(request.get_full_path())


class NeverChanged:
    """Rows are added, and then only looked at."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class WrittenOnce(NeverChanged, CommittedByServices):
    """Rows are added through a service, and then only looked at."""
