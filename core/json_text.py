"""Strict parsing of JSON from outside."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn


class DoubledName(ValueError):
    """An object has the same name twice; parsers differ in which value they take."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the name {name!r:.100} occurs twice in one object")
        self.name = name


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raise `DoubledName` for an object with the same name twice (RFC 8259 leaves its meaning open,
    and Python keeps the last one), `ValueError` for text that is not JSON, which includes `NaN` and
    `Infinity`, and `RecursionError` for a text nested too deeply.

    >>> read_json('{"amount": 100}')
    {'amount': 100}
    >>> read_json('{"amount": 100, "amount": 100000}')
    Traceback (most recent call last):
    ...
    core.json_text.DoubledName: the name 'amount' occurs twice in one object
    """
    return _DECODER.decode(text)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        raise DoubledName(next(name for name in names if names.count(name) > 1))
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_refuse_constant)
