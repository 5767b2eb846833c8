"""Requests no page of the admin makes: refused before they reach a list that would fail on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.core.exceptions import BadRequest, ValidationError
from django.core.paginator import InvalidPage
from django.http import Http404, HttpRequest, HttpResponse, QueryDict

ADMIN: Final = "/admin/"
# What a list asks of a day; the admin adds a year to it, and dates end with 9999.
PARTS_OF_DAYS: Final = ("__year", "__month", "__day")
YEAR_MAX: Final = 9998


class HandMadeRequestMiddleware:
    """Answers 400 where the admin's lists would stumble: their addresses are anybody's to write.

    Django's own lists trust the keys of chosen rows, the figures of a day and, in filters, every
    character; what of it reaches the database or the calendar fails there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        if not request.path.startswith(ADMIN):
            return
        for said in (request.GET, request.POST):
            _refuse_nul(said)
        _refuse_days(request.GET)
        if page := getattr(view, "model_admin", None):
            _refuse_keys(request.POST.getlist("_selected_action"), page.model._meta.pk)

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """A page that is none is not found; the admin's own search does not catch it."""
        if request.path.startswith(ADMIN) and isinstance(error, InvalidPage):
            raise Http404(str(error)) from error


def _refuse_nul(said: QueryDict) -> None:
    if any("\0" in text for name, texts in said.lists() for text in (name, *texts)):
        raise BadRequest("no text holds a NUL character")


def _refuse_days(asked: QueryDict) -> None:
    for name, texts in asked.lists():
        if name.endswith(PARTS_OF_DAYS) and not all(map(_may_be_of_a_day, texts)):
            raise BadRequest(f"{name} is no part of a day")


def _may_be_of_a_day(text: str) -> bool:
    is_plain = text.isascii() and text.isdecimal() and len(text) <= len(str(YEAR_MAX))
    return is_plain and int(text) <= YEAR_MAX


def _refuse_keys(keys: list[str], column: Any) -> None:
    try:
        for key in keys:
            column.to_python(key)
    except ValidationError as error:
        raise BadRequest("a chosen row has a key that is none") from error
