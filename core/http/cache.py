"""Serialization of cached values as JSON, which runs no code when it is read."""

from __future__ import annotations

import json
from typing import Any, Final

from django.utils.functional import Promise
from unfold.dataclasses import SearchResult

# The only key of the JSON object that represents a search result of the admin.
SEARCH_RESULT: Final = "unfold.dataclasses.SearchResult"


class JsonSerializer:
    """Serialize as JSON instead of pickle, so that a forged cache cannot run code in a web process.

    Search results of the admin are restored as such; lazy translations are stored as text in the
    present language. Raise `TypeError` for any other value that JSON cannot hold. Integers are
    stored as digits, so that Redis can increment them.
    """

    def dumps(self, obj: Any) -> bytes | int:
        if type(obj) is int:  # A bool is also an int, but must not be stored as digits.
            return obj
        return json.dumps(obj, default=_in_json).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data, object_hook=_from_json)


def _in_json(value: Any) -> Any:
    if isinstance(value, SearchResult):
        return {SEARCH_RESULT: vars(value)}
    if isinstance(value, Promise):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be cached")


def _from_json(found: dict[str, Any]) -> Any:
    return SearchResult(**found[SEARCH_RESULT]) if found.keys() == {SEARCH_RESULT} else found
