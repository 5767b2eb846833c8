"""Refuse unknown and malformed query parameters of API requests.

A mistyped `from` would otherwise request the whole ledger. The known parameters are those of the
operation's description (`extend_schema`), so that the two cannot differ; a view may refuse more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from functools import cache
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from core.api.body_fields import NO_FIELDS, known_fields, refuse_unknown_fields
from core.api.openapi import noted_schema
from core.exceptions import UnknownField
from core.http.problems import ProblemResponse, refusal_response

# JSON schemas of the parameters of one method of a view, by name.
Known = Mapping[str, Mapping[str, Any]]
FORMS: Final = frozenset({"multipart/form-data", "application/x-www-form-urlencoded"})
UNKNOWN: Final = "unknown_parameter"
BAD: Final = "bad_parameter"
DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
WHOLE: Final = re.compile(r"-?\d{1,18}", re.ASCII)
OF_TYPES: Final[Mapping[Any, dict[str, Any]]] = {
    int: {"type": "integer"},
    OpenApiTypes.INT: {"type": "integer"},
    OpenApiTypes.DATE: {"type": "string", "format": "date"},
}


class QueryParameterMiddleware(MiddlewareMixin):
    """Answer 400 for an unknown parameter, or for a field sent to a view that reads no body."""

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        _args: tuple[Any, ...],
        _kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        kind = getattr(view, "cls", None)
        if kind is None or not issubclass(kind, APIView):
            return None
        return self._unknown_parameter(request, kind) or self._unread_field(request, kind)

    def _unknown_parameter(self, request: HttpRequest, kind: Any) -> HttpResponseBase | None:
        if not request.META.get("QUERY_STRING"):
            return None
        known = known_parameters(kind, request.method or "")
        for name, texts in request.GET.lists():
            if name not in known:
                return _refusal(UNKNOWN, name, _("Unknown parameter."), known)
            if len(texts) > 1 or not is_fitting(texts[0], known[name]):
                return _refusal(BAD, name, _("This value is not valid."), known)
        return None

    def _unread_field(self, request: HttpRequest, kind: Any) -> HttpResponseBase | None:
        """Refuse fields sent to an operation whose view reads no body."""
        has_body = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
        if not has_body or known_fields(kind, request.method or "") is not NO_FIELDS:
            return None
        try:
            refuse_unknown_fields(_sent(request), NO_FIELDS)
        except UnknownField as refusal:
            return refusal_response(refusal)
        return None


def _sent(request: HttpRequest) -> Any:
    if request.content_type in FORMS:
        return {**request.POST.dict(), **request.FILES.dict()}
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError):  # No fields.
        return {}


@cache
def known_parameters(view: type[APIView], method: str) -> Known:
    """Return the schemas of a view's query parameters, including the format's."""
    found: dict[str, Mapping[str, Any]] = {}
    for parameter in _described(view, method):
        # A serializer, which parses its fields itself.
        if not isinstance(parameter, OpenApiParameter):
            found |= {name: {} for name in parameter().fields}
        elif parameter.location == OpenApiParameter.QUERY:
            found[parameter.name] = _schema(parameter)
    # The framework answers 404 to an unknown format.
    found[api_settings.URL_FORMAT_OVERRIDE] = {}
    return MappingProxyType(found)


def _described(view: type[APIView], method: str) -> list[Any]:
    schema = noted_schema(view, method)
    parameters: list[Any] = [] if schema is None else schema.get_override_parameters()
    return parameters


def _schema(parameter: OpenApiParameter) -> dict[str, Any]:
    kind: Any = parameter.type
    schema = dict(kind) if isinstance(kind, dict) else dict(OF_TYPES.get(kind, {}))
    return schema | ({"enum": parameter.enum} if parameter.enum else {})


def is_fitting(text: str, schema: Mapping[str, Any]) -> bool:
    """Return whether a value matches its schema; a blank value always does.

    >>> is_fitting("null", {"type": "integer"}), is_fitting("2", {"type": "integer", "minimum": 1})
    (False, True)
    """
    if not text.strip() or "\x00" in text:
        return False
    if "enum" in schema and text not in schema["enum"]:
        return False
    if len(text) > schema.get("maxLength", len(text)):
        return False
    if schema.get("format") == "date":
        return _is_day(text)
    if schema.get("type") == "integer":
        return bool(WHOLE.fullmatch(text)) and (
            schema.get("minimum", -(10**18)) <= int(text) <= schema.get("maximum", 10**18)
        )
    return True


def _is_day(text: str) -> bool:
    with suppress(ValueError):
        return bool(DAY.fullmatch(text)) and bool(date.fromisoformat(text))
    return False


def _refusal(code: str, name: str, message: str, known: Known) -> ProblemResponse:
    names = sorted(known.keys() - {api_settings.URL_FORMAT_OVERRIDE})
    return ProblemResponse(
        status=HTTPStatus.BAD_REQUEST,
        code=code,
        message=f"{name[:60]}: {message}",
        parameter=name[:60],
        parameters=names,
    )
