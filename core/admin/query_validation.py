"""Validation of query strings and selected keys before the admin's lists use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.core.exceptions import BadRequest, ValidationError
from django.core.paginator import InvalidPage
from django.http import Http404, HttpRequest, HttpResponse, QueryDict

ADMIN: Final = "/admin/"
# Date lookups of lists; the admin adds a year to them, and dates end with 9999.
PARTS_OF_DAYS: Final = ("__year", "__month", "__day")
YEAR_MAX: Final = 9998


class AdminQueryValidationMiddleware:
    """Answer 400 to queries on which the admin's lists would fail with 500.

    Django's lists do not validate selected keys, parts of dates and NUL characters.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        if not request.path.startswith(ADMIN):
            return
        for data in (request.GET, request.POST):
            _refuse_nul(data)
        _refuse_days(request.GET)
        if page := getattr(view, "model_admin", None):
            _refuse_keys(request.POST.getlist("_selected_action"), page.model._meta.pk)

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """Answer 404 to a page number out of range, which the autocomplete view does not catch."""
        if request.path.startswith(ADMIN) and isinstance(error, InvalidPage):
            raise Http404(str(error)) from error


def _refuse_nul(data: QueryDict) -> None:
    if any("\0" in text for name, texts in data.lists() for text in (name, *texts)):
        raise BadRequest("a NUL character is not allowed")


def _refuse_days(asked: QueryDict) -> None:
    for name, texts in asked.lists():
        if name.endswith(PARTS_OF_DAYS) and not all(map(_may_be_of_a_day, texts)):
            raise BadRequest(f"{name} is not part of a date")


def _may_be_of_a_day(text: str) -> bool:
    is_plain = text.isascii() and text.isdecimal() and len(text) <= len(str(YEAR_MAX))
    return is_plain and int(text) <= YEAR_MAX


def _refuse_keys(keys: list[str], column: Any) -> None:
    try:
        for key in keys:
            column.to_python(key)
    except ValidationError as error:
        raise BadRequest("a selected row has an invalid key") from error
