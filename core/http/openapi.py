"""The shapes of answers as JSON schemas, so that the API's description cannot drift from them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints
from uuid import UUID

from rest_framework import serializers

SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    UUID: {"type": "string", "format": "uuid"},
    datetime: {"type": "string", "format": "date-time"},
}


class Refusal(serializers.Serializer[Any]):
    """The body of a refusal: a stable code and a sentence."""

    code = serializers.CharField()
    message = serializers.CharField()


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a shape, or of a list, dict or optional of shapes.

    >>> schema_of(list[int])
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if kind in SCALARS:
        return dict(SCALARS[kind])
    if is_dataclass(kind):
        return _object(kind)
    arguments = get_args(kind)
    if get_origin(kind) is list:
        return {"type": "array", "items": schema_of(arguments[0])}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    (inner,) = (argument for argument in arguments if argument is not NoneType)
    return {**schema_of(inner), "nullable": True}


def refusal(**more: Any) -> dict[str, Any]:
    """Return the schema of an answer that refuses: a stable code and a sentence."""
    properties = {"code": {"type": "string"}, "message": {"type": "string"}}
    return {
        "type": "object",
        "properties": properties | {name: schema_of(kind) for name, kind in more.items()},
        "required": [*properties, *more],
    }


def _object(shape: Any) -> dict[str, Any]:
    hints = get_type_hints(shape)
    return {
        "type": "object",
        "properties": {field.name: schema_of(hints[field.name]) for field in fields(shape)},
        "required": [field.name for field in fields(shape)],
    }
