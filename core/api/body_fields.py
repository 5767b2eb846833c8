"""Refuse unknown fields in bodies of API requests.

A mistyped `amount_minor` would otherwise be ignored, and the smallest stack be paid instead. The
known fields are read from the operation's description (`extend_schema`), as for query parameters.
Parsers check the bodies they read; `QueryParameterMiddleware` checks bodies that no view reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext as _
from rest_framework import serializers

from core.api.openapi import noted_schema
from core.exceptions import UnknownField

# Field names, each with the fields of its object; None for a value that is no object.
Fields: TypeAlias = Mapping[str, "Fields | None"]
NO_FIELDS: Final[Fields] = MappingProxyType({})
WITH_BODIES: Final = ("POST", "PUT", "PATCH")
SHOWN: Final = 60


@cache
def known_fields(view: type[Any], method: str) -> Fields | None:
    """Return the body fields in the description of a view's method.

    Return {} if no body is described, and None if the body is no object.
    """
    described = _described(view, method) if method in WITH_BODIES else None
    if isinstance(described, dict):  # By media type.
        (described,) = described.values()
    if isinstance(described, type):
        described = described()
    if described is None:
        return NO_FIELDS
    return _fields_of(described) if isinstance(described, serializers.Serializer) else None


def _described(view: type[Any], method: str) -> Any:
    schema = noted_schema(view, method)
    return None if schema is None else schema.get_request_serializer()


def _fields_of(field: Any) -> Fields | None:
    while child := getattr(field, "child", None):
        field = child
    if not isinstance(field, serializers.Serializer):
        return None
    return MappingProxyType({name: _fields_of(inner) for name, inner in field.fields.items()})


def refuse_unknown_fields(body: Any, known: Fields | None) -> None:
    """Raise `UnknownField` for the first unknown field, also in nested objects."""
    for name, siblings in _unknown(body, known):
        shown = name.encode(errors="backslashreplace").decode()[:SHOWN]
        message = _("Unknown field.")
        raise UnknownField(f"{shown}: {message}", field=shown, fields=sorted(siblings))


def _unknown(
    body: Any, known: Fields | None, path: str = ""
) -> Iterator[tuple[str, Iterable[str]]]:
    if known is None:
        return
    if isinstance(body, list):
        for index, item in enumerate(body):
            yield from _unknown(item, known, f"{path}{index}.")
    elif isinstance(body, Mapping):
        for name, value in body.items():
            if name in known:
                yield from _unknown(value, known[name], f"{path}{name}.")
            else:
                yield f"{path}{name}", known
