"""Shapes of answers: dataclasses to send, and their schemas in the API's description."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

import msgspec
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    UUID: {"type": "string", "format": "uuid"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Decimal: {"type": "string", "format": "decimal"},
}


REFUSAL: Final = "Problem"
# Schemas of the shapes by name, which the description lists as components.
COMPONENTS: dict[str, dict[str, Any]] = {}
_shapes: dict[str, Any] = {}
_TEXTS: Final = ("type", "title", "detail", "code", "message")
PROBLEM: Final = dict.fromkeys(_TEXTS, SCALARS[str]) | {"status": SCALARS[int]}


@extend_schema_serializer(component_name=REFUSAL)
class Refusal(serializers.Serializer[Any]):
    """The body of a refusal: problem details with a stable code and a message."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()


def noted_schema(view: type[Any], method: str) -> Any:
    """Return the schema that `extend_schema` attached to a view's method, or None."""
    noted = getattr(getattr(view, method.lower(), None), "kwargs", {}).get("schema")
    if noted is None:
        return None
    schema = noted()
    # It reads the API version of a view, which these views do not have.
    schema.view, schema.method = view(request=None, kwargs={}), method
    return schema


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a shape, or of a list, dict or optional of shapes.

    >>> schema_of(list[int])
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if kind in SCALARS:
        return dict(SCALARS[kind])
    if is_dataclass(kind) or is_typeddict(kind):
        return {"$ref": f"#/components/schemas/{component_of(kind)}"}
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(arguments)}
    if get_origin(kind) is list:
        return {"type": "array", "items": schema_of(arguments[0])}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    (inner,) = (argument for argument in arguments if argument is not NoneType)
    schema = schema_of(inner)
    if "$ref" in schema:  # OpenAPI ignores keys beside a reference.
        schema = {"allOf": [schema]}
    return schema | {"nullable": True}


def component_of(shape: Any) -> str:
    """Add a shape to the description's components and return its name."""
    name: str = shape.__name__
    if name not in _shapes:
        _shapes[name] = shape
        COMPONENTS[name] = _object(shape)
    assert _shapes[name] is shape, f"two shapes have the name {name}"
    return name


def refusal(**more: Any) -> dict[str, Any]:
    """Return the schema of a refusal: problem details with additional fields."""
    if not more:
        return {"$ref": f"#/components/schemas/{REFUSAL}"}
    properties = PROBLEM | {name: schema_of(kind) for name, kind in more.items()}
    name = f"{REFUSAL}With{''.join(part.title() for part in more)}"
    return named(name, {"type": "object", "properties": properties, "required": [*properties]})


def named(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Add a schema to the description's components and return a reference to it."""
    assert COMPONENTS.setdefault(name, schema) == schema, f"two shapes have the name {name}"
    return {"$ref": f"#/components/schemas/{name}"}


def _object(shape: Any) -> dict[str, Any]:
    types = get_type_hints(shape)
    names = list(types) if is_typeddict(shape) else [field.name for field in fields(shape)]
    return {
        "type": "object",
        "properties": {name: schema_of(types[name]) for name in names},
        "required": names,
    }


def as_json(shape: DataclassInstance) -> dict[str, Any]:
    """Return a dataclass as plain values for REST framework's renderer."""
    values: dict[str, Any] = msgspec.to_builtins(shape, builtin_types=(datetime, UUID))
    return values
