"""Refuses query parameters an address of the API does not know, or cannot read.

A mistyped `from` would otherwise ask for the whole ledger. What an address knows is what its
description says (`extend_schema`), so that the two cannot differ; a view may refuse more.
"""

from __future__ import annotations

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

from core.http.problems import ProblemResponse

# JSON schemas of the parameters of one method of a view, by name.
Known = Mapping[str, Mapping[str, Any]]
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
    """Answers 400 and names the parameter; views never see it."""

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        _args: tuple[Any, ...],
        _kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        kind = getattr(view, "cls", None)
        if not request.META.get("QUERY_STRING") or kind is None or not issubclass(kind, APIView):
            return None
        known = known_parameters(kind, request.method or "")
        for name, texts in request.GET.lists():
            if name not in known:
                return _refusal(UNKNOWN, name, _("There is no such parameter here."), known)
            if len(texts) > 1 or not is_fitting(texts[0], known[name]):
                return _refusal(BAD, name, _("This value cannot be read."), known)
        return None


@cache
def known_parameters(view: type[APIView], method: str) -> Known:
    """Return what the description says of a view's query parameters, and of the format's."""
    found: dict[str, Mapping[str, Any]] = {}
    for parameter in _described(view, method):
        if not isinstance(parameter, OpenApiParameter):  # A serializer: its fields, read by it.
            found |= {name: {} for name in parameter().fields}
        elif parameter.location == OpenApiParameter.QUERY:
            found[parameter.name] = _schema(parameter)
    # Which formats there are is negotiated by the framework, and answered 404.
    found[api_settings.URL_FORMAT_OVERRIDE] = {}
    return MappingProxyType(found)


def _described(view: type[APIView], method: str) -> list[Any]:
    """Return what `extend_schema` has noted at the view's method."""
    handler = getattr(view, method.lower(), None)
    noted = getattr(handler, "kwargs", {}).get("schema")
    if noted is None:
        return []
    schema = noted()
    # It asks its view for a version of the API; ours have none.
    schema.view, schema.method = view(request=None, kwargs={}), method
    parameters: list[Any] = schema.get_override_parameters()
    return parameters


def _schema(parameter: OpenApiParameter) -> dict[str, Any]:
    kind: Any = parameter.type
    schema = dict(kind) if isinstance(kind, dict) else dict(OF_TYPES.get(kind, {}))
    return schema | ({"enum": parameter.enum} if parameter.enum else {})


def is_fitting(text: str, schema: Mapping[str, Any]) -> bool:
    """Return whether a value has the form its schema asks for; a blank one asks for nothing.

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
