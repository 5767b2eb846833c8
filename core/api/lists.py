"""Lists of the API: rows in `results`, the address of the next page in `next`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.serializer_helpers import ReturnDict

from core.api.openapi import component_of, named, schema_of

NEXT: dict[str, Any] = {
    "type": "string",
    "format": "uri",
    "nullable": True,
    "description": "The address of the next page; null on the last one.",
}


def next_address(request: Request, more: Mapping[str, Any] | None) -> str | None:
    """Return the request's URL with the next page's parameters; None on the last page."""
    if more is None:
        return None
    query = request.query_params.copy()
    for name, value in more.items():
        query[name] = value
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def link_header(address: str | None) -> dict[str, str]:
    """Return the `Link` header of the next page (RFC 8288); {} on the last page."""
    return {"Link": f'<{address}>; rel="next"'} if address else {}


def list_response(
    request: Request,
    results: Sequence[Any] | ReturnDict[Any, Any],
    *,
    more: Mapping[str, Any] | None = None,
    **beside: Any,
) -> Response:
    """Return a page of a list; `more` has the next page's parameters, `beside` further fields."""
    address = next_address(request, more)
    body = {"results": results, "next": address, **beside}
    return Response(body, headers=link_header(address))


def list_schema(kind: Any, **beside: Any) -> dict[str, Any]:
    """Return the schema of a list of a shape, with further fields of its pages."""
    more = {name: schema_of(shape) for name, shape in beside.items()}
    results = {"type": "array", "items": schema_of(kind)}
    properties = {"results": results, "next": NEXT, **more}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    return named(f"{component_of(kind).removesuffix('Row')}List", schema)


@cache
def list_serializer(row: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """Return a serializer that describes a list of this serializer's rows."""
    name = f"{row.__name__.removesuffix('Output').removesuffix('Answer')}List"
    fields = {"results": row(many=True), "next": serializers.URLField(allow_null=True)}
    described: serializers.Serializer[Any] = inline_serializer(name, fields)
    return described
